import { LeafidError } from '../values/errors.js'
import { quoted, shown } from '../values/shown.js'
import { column, type Columns } from './text.js'

const MOST = { end: 2n ** 63n - 1n, step: 2n ** 31n - 1n, exact: 2n ** 53n - 1n }

/**
 * Reads the columns of a row of `about`, such as "tag `orders`". A value that no program of ours writes is
 * `SCHEMA_MISMATCH`: somebody has edited the row, and what is granted on it could be granted twice.
 */
export class Reading {
  readonly #row: Columns
  readonly #about: string

  constructor(row: Columns, about: string) {
    this.#row = row
    this.#about = about
  }

  /** A number that a double holds. */
  number(name: string, least = 0n, most: keyof typeof MOST = 'exact'): number {
    return Number(this.big(name, least, most))
  }

  /** A number of 64 bits, as its digits. */
  big(name: string, least = 0n, most: keyof typeof MOST = 'end'): string {
    const found = column(this.#row, name)
    const text = typeof found === 'bigint' || typeof found === 'number' || typeof found === 'string' ? String(found) : ''
    if (!/^-?\d{1,20}$/.test(text) || BigInt(text) < least || BigInt(text) > MOST[most]) throw this.odd(name, found)
    return text
  }

  flag(name: string): boolean {
    const found = column(this.#row, name)
    if (Number(found) !== 0 && Number(found) !== 1) throw this.odd(name, found)
    return Number(found) === 1
  }

  text(name: string): string {
    const found = column(this.#row, name)
    if (typeof found !== 'string') throw this.odd(name, found)
    return found
  }

  /** What is said of a value that is none of ours. */
  odd(name: string, found: unknown, cause?: unknown): LeafidError {
    const is = typeof found === 'string' ? quoted(found) : shown(found)
    const message = `a row of ${this.#about} has a value that leafid did not write (\`${name}\` is ${is}); put back what it was, or a higher position and later times, and nothing is granted twice`
    return new LeafidError('SCHEMA_MISMATCH', message, { cause })
  }
}
