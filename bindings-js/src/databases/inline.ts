import type { Params } from '../sql/rows.js'
import type { Param } from '../sql/text.js'

/** Columns whose numbers are written as texts, for a double rounds them. */
const WIDE = new Set(['max_id', 'until', 'held_from', 'reserved_until', 'floor'])
/** What stands before the name of a column in a condition. */
const WAS = /^was_/

/** How a dialect writes values. What comes in is of one kind and nothing else, so no value can end its literal. */
export interface Literals {
  integer(digits: string): string
  bytes(hex: string): string
  text(value: string): string
}

/**
 * A text with the values of its parameters in it. A text of several statements can have no others: PostgreSQL sends it in one
 * message, which is one transaction.
 */
export function inlined(text: string, params: Params, literals: Literals): string {
  return text.replace(/(?<![:\w]):([a-z_]+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`no value for \`:${name}\` of ${text}`)
    return literal(name, value, literals)
  })
}

function literal(name: string, value: Param, { integer, bytes, text }: Literals): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return bytes(hex(value))
  if (typeof value === 'string' && !WIDE.has(name.replace(WAS, ''))) return text(value)
  const isWhole = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value)
  if (!isWhole) throw new Error(`\`:${name}\` is no whole number: ${String(value)}`)
  return integer(String(value))
}

/** Bytes as hex digits. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
