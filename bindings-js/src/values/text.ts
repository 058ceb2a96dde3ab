import { theEngine } from '../engines/engine.js'
import { LeafidError, advice, shown } from './errors.js'

const LINE_END = 2n ** 63n

/** The ID, if it is a bigint from 0 to 2^63 - 1; else `ID_INVALID`. */
export function checkedId(id: bigint): bigint {
  if (typeof id === 'bigint' && id >= 0n && id < LINE_END) return id
  throw noId(id, 'an ID is a bigint from 0 to 2^63 - 1')
}

/** 13 characters of Crockford's base32, upper case: they sort as the IDs do. `ID_INVALID` for what is no ID. */
export function toBase32(id: bigint): string {
  return theEngine().toBase32(checkedId(id)) ?? fail(id, 'base32')
}

/** The ID of 13 base32 characters. Strict: `ID_INVALID` for anything that `toBase32` does not write. */
export function fromBase32(text: string): bigint {
  return (typeof text === 'string' ? theEngine().fromBase32(text) : undefined) ?? fail(text, 'base32')
}

/** The decimal text of an ID. `ID_INVALID` for what is no ID. */
export function toDecimal(id: bigint): string {
  return theEngine().toDecimal(checkedId(id)) ?? fail(id, 'decimal')
}

/** The ID of a decimal text. Strict: no sign, no leading zero, no space; else `ID_INVALID`. */
export function fromDecimal(text: string): bigint {
  return (typeof text === 'string' ? theEngine().fromDecimal(text) : undefined) ?? fail(text, 'decimal')
}

function fail(value: unknown, form: string): never {
  throw noId(value, `it has no ${form} form`)
}

function noId(value: unknown, why: string): LeafidError {
  return new LeafidError('ID_INVALID', `${shown(value)} is no ID, ${why}: ${advice('ID_INVALID')}`)
}
