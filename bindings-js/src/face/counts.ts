import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

/** More are never had at once. */
const MOST = 2 ** 31 - 1

/** A count of IDs. `COUNT_INVALID` for anything but 0 to 2^31 - 1: none are had at once, as elsewhere. */
export function counted(n: number): number {
  if (Number.isInteger(n) && n >= 0 && n <= MOST) return n
  throw new LeafidError('COUNT_INVALID', `the count must be a whole number from 0 to ${MOST}, got ${shown(n)}`)
}

/** How many IDs an array has room for. `REQUEST_INVALID` for anything but a BigUint64Array. */
export function room(out: BigUint64Array): number {
  // One from another realm (a `vm` context, a frame) has another class and the same tag.
  if (out instanceof BigUint64Array || (ArrayBuffer.isView(out) && out[Symbol.toStringTag] === 'BigUint64Array')) return counted(out.length)
  throw new LeafidError('REQUEST_INVALID', `expected a BigUint64Array, got ${shown(out)}: pass one, or use \`take\``)
}

/** The error of an array that was detached or resized meanwhile. */
export function resized(count: number, out: BigUint64Array): LeafidError {
  const message = `the array had room for ${count} IDs and has room for ${out.length} now: leave it alone until it is filled`
  return new LeafidError('REQUEST_INVALID', message)
}

/** Whether others may change it while the engine writes. */
export function isShared(out: BigUint64Array): boolean {
  return !(out.buffer instanceof ArrayBuffer)
}
