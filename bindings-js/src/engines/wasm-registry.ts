import { Border, isTrap, type Calls, type Raw } from './border.js'
import type { Registry } from './registry.js'

type Verb = keyof Registry

/** The registry in wasm: a text, the store's id or a verb, is a parcel. It keeps nothing, so a call that traps costs itself alone. */
export function wasmRegistry(module: WebAssembly.Module): Registry {
  const border = new Border<Raw & Calls<Verb>>(module)
  const decided = (verb: Verb, parcel: string | undefined, given: (object | undefined)[], ...more: number[]): object => {
    try {
      if (parcel !== undefined) border.send(parcel)
      return border.object((...places) => border.wasm[verb](...places, ...more), ...given)!
    } catch (error) {
      if (isTrap(error)) border.build()
      throw error
    }
  }
  return {
    leaseSegment: (store, row, ask, nowMs) => decided('leaseSegment', store, [row, ask], nowMs),
    acquire: (store, namespace, rows, ask, nowMs) => decided('acquire', store, [namespace, rows, ask], nowMs),
    acquireFound: (store, namespace, rows, ask, nowMs) => decided('acquireFound', store, [namespace, rows, ask], nowMs),
    renew: (store, namespace, row, ask, nowMs) => decided('renew', store, [namespace, row, ask], nowMs),
    release: (store, row, ask) => decided('release', store, [row, ask]),
    tagRow: (before, wanted) => decided('tagRow', undefined, [before, wanted]),
    turn: (verb, ask, call) => decided('turn', verb, [ask, call]),
    namespaceRow: (wanted) => decided('namespaceRow', undefined, [wanted]),
  }
}
