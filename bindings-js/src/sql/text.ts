import { TEXTS, VERSION } from './texts.js'

/** A parameter's value. 64-bit numbers are text: a host that takes them as doubles rounds them. */
export type Param = string | number | null | Uint8Array

/** Parameter values by name. */
export type Params = Readonly<Record<string, Param>>

/** A statement of the store, and the names of its parameters in the order of their values. */
export interface Text {
  readonly sql: string
  readonly names: readonly string[]
}

/** A dialect's statements, by their names. */
export type Texts = Readonly<Record<string, Text>>

/** A statement and its parameters' values in order. */
export interface Query {
  sql: string
  params: readonly Param[]
}

/** A row as the host reads it, by column. */
export type Columns = Readonly<Record<string, unknown>>

/** Columns with 64-bit numbers, which a double cannot hold. */
const WIDE = new Set(['max_id', 'until', 'held_from', 'reserved_until', 'floor'])
/** Columns with the bytes of a token. */
export const TOKENS = new Set(['store', 'key', 'server'])
/** Prefix of parameters in conditions on a column's old value. */
const WAS = /^was_/
/** Prefix of columns read as text: `ORDER BY` on the plain name would sort the texts. */
const AS_TEXT = 'text_'

const known = new Map<Text, string>()

/** Makes a query of SQLite from a text and its parameters' values. */
export function query(text: Text, params: Params = {}): Query {
  const sql = known.get(text) ?? exact(text.sql)
  known.set(text, sql)
  return { sql, params: text.names.map((name) => valueOf(text, name, params)) }
}

export function valueOf({ sql }: Text, name: string, params: Params): Param {
  const value = params[name]
  if (value === undefined) throw new Error(`no value for \`${name}\` of ${sql}`)
  return value
}

/** Whether a parameter is for a column with 64-bit numbers. */
export function isWide(name: string): boolean {
  return WIDE.has(name.replace(WAS, ''))
}

/** Converts a parameter's value from the engine's form, in which a token is hex digits. */
export function param(name: string, value: string | number | undefined): Param {
  if (value === undefined) return null
  if (TOKENS.has(name.replace(WAS, ''))) return bytes(String(value))
  return isWide(name) ? String(value) : value
}

export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Converts a row to the engine's form. */
export function values(row: Columns): { name: string; value: unknown }[] {
  return Object.entries(row).map(([name, value]) => ({ name: name.startsWith(AS_TEXT) ? name.slice(AS_TEXT.length) : name, value: typeof value === 'bigint' ? String(value) : value }))
}

/** A column's value, whether it was read as text or not. */
export function column(row: Columns, name: string): unknown {
  return row[`${AS_TEXT}${name}`] ?? row[name]
}

/** Makes a `SELECT` read 64-bit columns and tokens as text. */
function exact(sql: string): string {
  return sql.replace(/^SELECT ([a-z_,\s]+?)\s+FROM\b/, (_, list: string) => {
    const columns = list.split(',').map((name) => name.trim())
    return `SELECT ${columns.map(asText).join(', ')} FROM`
  })
}

function asText(name: string): string {
  if (WIDE.has(name)) return `CAST(${name} AS TEXT) AS ${AS_TEXT}${name}`
  return TOKENS.has(name) ? `lower(hex(${name})) AS ${AS_TEXT}${name}` : name
}

/** A statement of a transaction. Unless it writes or finds a row as it must, the transaction conflicts. */
export type Step = Query & { must: 'write' | 'find' | 'nothing' }

/** A database's dialect: its statements, with the values of their parameters. */
export interface Dialect {
  /** The version of the tables that the statements are for. */
  version: number
  /** A statement by its name. */
  query(name: string, params?: Params): Query
  /** Whether tags are the rows of Leaf's own table. */
  leaf?: boolean
  /** The interval at which a write of the store is recorded, in ms. */
  beatEachMs: number
}

/** SQLite's dialect: in a file, a Durable Object or D1. */
export const SQLITE: Dialect = {
  version: VERSION,
  query: (name, params) => query((TEXTS as Texts)[name]!, params),
  // SQLite has one writer at a time in any case.
  beatEachMs: 0,
}
