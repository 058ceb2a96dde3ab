import { Border, isTrap, type Calls, type Raw } from './border.js'
import { compiled, type Wasm } from './modules.js'

export type Verb = 'leaseSegment' | 'acquire' | 'renew' | 'release' | 'tagRow' | 'namespaceRow' | 'turn'

/** Decides from a text (store id; verb of `turn`), rows and asks, and the time. A refusal is `{ code, until }`. */
export type Decide = (verb: Verb, text: string | undefined, given: readonly (object | undefined)[], ...nowMs: number[]) => object

let file: Wasm | undefined
let decide: Decide | undefined

/**
 * Called by the start module of what decides for a store. A `whole` registry, which comes with stores over SQL, also
 * decides for those, and is never replaced.
 */
export function useRegistry(wasm: Wasm, whole = false): void {
  if (whole) decide = undefined
  if (whole || file === undefined) file = wasm
}

/** The registry; compiles at first use. */
export function theRegistry(): Decide {
  return (decide ??= decidingBy(compiled(file!)))
}

/** The registry has no state, so a trap costs only its own call. */
function decidingBy(module: WebAssembly.Module): Decide {
  const border = new Border<Raw & Calls<Verb>>(module)
  return (verb, text, given, ...nowMs) => {
    try {
      if (text !== undefined) border.send(text)
      return border.object((...places) => border.wasm[verb](...places, ...nowMs), ...given)!
    } catch (error) {
      if (isTrap(error)) border.build()
      throw error
    }
  }
}
