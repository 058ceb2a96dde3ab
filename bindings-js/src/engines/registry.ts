import { Border, isTrap, type Calls, type Raw } from './border.js'

export type Verb = 'leaseSegment' | 'acquire' | 'renew' | 'release' | 'tagRow' | 'namespaceRow' | 'turn'

/** Decides from a text (store id; verb of `turn`), rows and asks, and the time. A refusal is `{ code, until }`. */
export type Decide = (verb: Verb, text: string | undefined, given: readonly (object | undefined)[], ...nowMs: number[]) => object

let open: (() => WebAssembly.Module) | undefined
let decide: Decide | undefined

/**
 * Called by the start module of this runtime, or of an entry that decides for a store. Compiles at first use. A `whole`
 * registry, which comes with stores over SQL, also decides for those, and is never replaced.
 */
export function useRegistry(module: () => WebAssembly.Module, whole = false): void {
  if (whole) decide = undefined
  if (whole || open === undefined) open = module
}

/** The registry; `undefined` if no entry loaded it. */
export function theRegistry(): Decide | undefined {
  return (decide ??= open && decidingBy(open()))
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
