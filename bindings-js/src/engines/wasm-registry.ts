import { Border, isTrap, type Raw } from './border.js'
import type { Registry } from './registry.js'

/** Its functions: the store's id is a parcel, and what begins with a place is an object. */
interface Exports extends Raw {
  leaseSegment(row: number, ask: number, nowMs: number): number
  acquire(namespace: number, rows: number, ask: number, nowMs: number): number
  acquireFound(namespace: number, rows: number, ask: number, nowMs: number): number
  renew(namespace: number, row: number, ask: number, nowMs: number): number
  release(row: number, ask: number): number
  tagRow(before: number, wanted: number): number
  namespaceRow(wanted: number): number
  isKeptFrom(row: number, nowMs: number): number
}

/** The registry in wasm. It keeps nothing, so a call that traps costs itself alone. */
export function wasmRegistry(module: WebAssembly.Module): Registry {
  const border = new Border<Exports>(module)
  const whole = <T>(call: () => T): T => {
    try {
      return call()
    } catch (error) {
      if (isTrap(error)) border.build()
      throw error
    }
  }
  const decided = (store: string | undefined, call: (wasm: Exports, ...places: [number, number, number]) => number, ...given: (object | undefined)[]) =>
    whole(() => {
      if (store !== undefined) border.send(store)
      return border.object((...places) => call(border.wasm, ...(places as [number, number, number])), ...given) as object
    })
  return {
    leaseSegment: (store, row, ask, nowMs) => decided(store, (wasm, ...[one, two]) => wasm.leaseSegment(one, two, nowMs), row, ask),
    acquire: (store, namespace, rows, ask, nowMs) => decided(store, (wasm, ...all) => wasm.acquire(...all, nowMs), namespace, rows, ask),
    acquireFound: (store, namespace, rows, ask, nowMs) => decided(store, (wasm, ...all) => wasm.acquireFound(...all, nowMs), namespace, rows, ask),
    renew: (store, namespace, row, ask, nowMs) => decided(store, (wasm, ...all) => wasm.renew(...all, nowMs), namespace, row, ask),
    release: (store, row, ask) => decided(store, (wasm, ...[one, two]) => wasm.release(one, two), row, ask),
    tagRow: (before, wanted) => decided(undefined, (wasm, ...[one, two]) => wasm.tagRow(one, two), before, wanted),
    namespaceRow: (wanted) => decided(undefined, (wasm, one) => wasm.namespaceRow(one), wanted),
    isKeptFrom: (row, owner, nowMs) =>
      whole(() => {
        border.send(owner)
        return border.with((place) => border.wasm.isKeptFrom(place!, nowMs) !== 0, row)
      }),
  }
}
