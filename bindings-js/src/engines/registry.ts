/** The decisions of a store: rows and asks in, rows and answers out; a refusal is `{ code, until }`. */
export interface Registry {
  leaseSegment(store: string, row: object, ask: object, nowMs: number): object
  acquire(store: string, namespace: object, rows: object, ask: object, nowMs: number): object
  acquireFound(store: string, namespace: object, rows: object, ask: object, nowMs: number): object
  renew(store: string, namespace: object, row: object, ask: object, nowMs: number): object
  release(store: string, row: object, ask: object): object
  tagRow(before: object | undefined, wanted: object): object
  namespaceRow(wanted: object): object
  /** Where it is whole. */
  turn(verb: string, ask: object, call: object): object
}

let make: (() => Registry) | undefined
let registry: Registry | undefined

/**
 * Called by the start module of this runtime, or by that of an entry which decides for a store. Nothing is made before it is used. One that
 * is `whole` decides over SQL, too, and stays: stores over SQL come with it.
 */
export function useRegistry(chosen: () => Registry, whole = false): void {
  if (whole) registry = undefined
  if (whole || make === undefined) make = chosen
}

/** The registry; `undefined` where no entry brought it. */
export function theRegistry(): Registry | undefined {
  return (registry ??= make?.())
}
