/** A value of a parameter. 64-bit numbers are text: a host that takes them as a double rounds them. */
export type Param = string | number | null | Uint8Array

/** The values of a text's parameters, by their names. */
export type Params = Readonly<Record<string, Param>>

/** A text as a host runs it: `?` for each parameter, and what they are called. */
interface Statement {
  sql: string
  names: readonly string[]
}

/** A statement and the values of its parameters, in its order. */
export interface Query {
  sql: string
  params: readonly Param[]
}

/** A row as a host reads it, column by column. */
export type Columns = Readonly<Record<string, unknown>>

/** Columns that hold more than a double does. */
const WIDE = new Set(['max_id', 'until', 'held_from', 'reserved_until', 'floor'])
/** Columns that hold the bytes of a token. */
export const TOKENS = new Set(['store', 'key'])
/** What stands before the name of a column in a condition. */
const WAS = /^was_/
/** What a column is called that was read as text: under its own name `ORDER BY` would sort the texts. */
const AS_TEXT = 'text_'

const known = new Map<string, Statement>()

/** A text, with the values of its parameters by their names. */
export function query(text: string, params: Params = {}): Query {
  const { sql, names } = known.get(text) ?? translated(text)
  known.set(text, { sql, names })
  const values = names.map((name) => {
    const value = params[name]
    if (value === undefined) throw new Error(`no value for \`:${name}\` of ${sql}`)
    return value
  })
  return { sql, params: values }
}

/** Whether a parameter is one for a column that holds more than a double does. */
export function isWide(name: string): boolean {
  return WIDE.has(name.replace(WAS, ''))
}

/** The value of a parameter as the engine gives it: a token as hex digits. */
export function param(name: string, value: string | number | undefined): Param {
  if (value === undefined) return null
  if (TOKENS.has(name.replace(WAS, ''))) return bytes(String(value))
  return isWide(name) ? String(value) : value
}

export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** The columns of a row, and their values as the engine reads them. */
export function values(row: Columns): { name: string; value: unknown }[] {
  return Object.entries(row).map(([name, value]) => ({ name: name.startsWith(AS_TEXT) ? name.slice(AS_TEXT.length) : name, value: typeof value === 'bigint' ? String(value) : value }))
}

/** A column that was read as text, or as it is. */
export function column(row: Columns, name: string): unknown {
  return row[`${AS_TEXT}${name}`] ?? row[name]
}

function translated(text: string): Statement {
  const names: string[] = []
  // The build has taken the comments out.
  const bare = text.endsWith(';') ? text.slice(0, -1) : text
  const sql = (bare.startsWith('SELECT') ? exact(bare) : bare).replace(/:([a-z_]+)/g, (_, name: string) => {
    names.push(name)
    return '?'
  })
  return { sql, names }
}

/** Has wide columns and tokens read as text. */
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
