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

/** Crockford's digits. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 13 characters of Crockford's base32, upper case: they sort as the IDs do. `ID_INVALID` for anything but an ID. */
export function toBase32(id: bigint): string {
  const bits = checkedId(id).toString(2).padStart(65, '0')
  return bits.replace(/.{5}/g, (five) => DIGITS[Number.parseInt(five, 2)]!)
}

/** The ID of 13 base32 characters. Strict: `ID_INVALID` for anything that `toBase32` does not write. */
export function fromBase32(text: string): bigint {
  if (typeof text !== 'string' || !/^[0-7][0-9A-HJKMNP-TV-Z]{12}$/.test(text)) throw invalid('the base32 form of an ID', '13 characters as `toBase32` writes them', text)
  return [...text].reduce((id, digit) => id * 32n + BigInt(DIGITS.indexOf(digit)), 0n)
}

/** The decimal text of an ID. `ID_INVALID` for anything but an ID. */
export function toDecimal(id: bigint): string {
  return checkedId(id).toString()
}

/** The ID of a decimal text. Strict: no sign, no leading zero, no space; else `ID_INVALID`. */
export function fromDecimal(text: string): bigint {
  const id = typeof text === 'string' && /^(0|[1-9]\d{0,18})$/.test(text) ? BigInt(text) : LINE_END
  if (id >= LINE_END) throw invalid('the decimal form of an ID', 'digits without a leading zero, below 2^63', text)
  return id
}

function invalid(what: string, wanted: string, got: unknown): LeafidError {
  return new LeafidError('ID_INVALID', `${what} must be ${wanted}, got ${shown(got)}`)
}
