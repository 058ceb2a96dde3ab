import { Border, isTrap, type Calls, type Raw } from './border.js'

export type Verb = 'leaseSegment' | 'acquire' | 'renew' | 'release' | 'tagRow' | 'namespaceRow' | 'turn'

/** Decides for a store: given a text (the store's id, or what `turn` decides), rows and asks, and the time; a refusal is `{ code, until }`. */
export type Decide = (verb: Verb, text: string | undefined, given: readonly (object | undefined)[], ...nowMs: number[]) => object

let open: (() => WebAssembly.Module) | undefined
let decide: Decide | undefined

/**
 * Called by the start module of this runtime, or by that of an entry which decides for a store. Nothing is compiled before it is used. One
 * that is `whole` decides over SQL, too, and stays: stores over SQL come with it.
 */
export function useRegistry(module: () => WebAssembly.Module, whole = false): void {
  if (whole) decide = undefined
  if (whole || open === undefined) open = module
}

/** The registry; `undefined` where no entry brought it. */
export function theRegistry(): Decide | undefined {
  return (decide ??= open && decidingBy(open()))
}

/** It keeps nothing, so a call that traps costs itself alone. */
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
