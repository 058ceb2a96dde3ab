import { theEngine } from '../engines/engine.js'
import { LeafidError } from './errors.js'
import { shown } from './shown.js'

const LINE_END = 2n ** 63n

/** Checks that an ID is a bigint from 0 to 2^63 - 1; else `ID_INVALID`. */
export function checkedId(id: bigint): bigint {
  if (typeof id === 'bigint' && id >= 0n && id < LINE_END) return id
  throw invalid('an ID', 'a bigint from 0 to 2^63 - 1', id)
}

/** The ID in a bigint, decimal text, or an exact number; else `ID_INVALID`. */
export function anyId(id: bigint | string | number): bigint {
  if (typeof id === 'string') return fromDecimal(id)
  if (Number.isSafeInteger(id) && id >= 0) return BigInt(id)
  if (typeof id === 'bigint' && id >= 0n && id < LINE_END) return id
  throw invalid('an ID', 'a bigint from 0 to 2^63 - 1, its decimal string, or a whole number below 2^53', id)
}

/** 13 characters of Crockford's base32, upper case: they sort as the IDs do. `ID_INVALID` for anything but an ID. */
export function toBase32(id: bigint): string {
  return theEngine().toBase32(checkedId(id)) ?? noBase32(id)
}

/** The ID of 13 base32 characters. Strict: `ID_INVALID` for anything that `toBase32` does not write. */
export function fromBase32(text: string): bigint {
  return (typeof text === 'string' ? theEngine().fromBase32(text) : undefined) ?? noBase32(text)
}

/** The decimal text of an ID. `ID_INVALID` for anything but an ID. */
export function toDecimal(id: bigint): string {
  return theEngine().toDecimal(checkedId(id)) ?? noDecimal(id)
}

/** The ID of a decimal text. Strict: no sign, no leading zero, no space; else `ID_INVALID`. */
export function fromDecimal(text: string): bigint {
  return (typeof text === 'string' ? theEngine().fromDecimal(text) : undefined) ?? noDecimal(text)
}

function noBase32(got: unknown): never {
  throw invalid('the base32 form of an ID', '13 characters as `toBase32` writes them', got)
}

function noDecimal(got: unknown): never {
  throw invalid('the decimal form of an ID', 'digits without a leading zero, below 2^63', got)
}

function invalid(what: string, wanted: string, got: unknown): LeafidError {
  return new LeafidError('ID_INVALID', `${what} must be ${wanted}, got ${shown(got)}`)
}
