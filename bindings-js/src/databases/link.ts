import type { FarTables } from '../sql/run.js'
import { isWide, valueOf, type Columns, type Dialect, type Param, type Params, type Text } from '../sql/text.js'
import { LeafidError, type ErrorCode } from '../values/errors.js'

/** A row as a database sends it: its values as text, in the order of the columns. */
export type Raw = readonly (string | null)[]

/** The operations of one kind of database, over a connection or a pool of the application. */
export interface Link extends FarTables {
  /** Its name in messages. */
  kind: string
  /** Its address and user for messages, without a password. */
  place: string
  dialect: Dialect
  /** Reads the tables' content, which tables exist, or the server's settings, with the statements of these names. */
  told(...texts: ('found' | 'made' | 'settings')[]): Promise<Raw[][]>
  /** Checks further conditions once, when the store is opened. */
  examine?(): Promise<void>
  /** Creates the tables, unless another program was faster, and writes these rows. */
  make(steps: readonly { sql: string }[]): Promise<void>
}

/** Runs operations one after another, even if an earlier one fails. */
export function inTurn(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const next = last.then(act)
    last = next.catch(() => {})
    return next
  }
}

/** A failed exchange: the database's error, and what follows from it. */
export interface Said {
  message: string
  /** Its code, such as `42P01` or `1146`. */
  code: string
  /** Absent for other errors. */
  kind?: Kind | undefined
}

/**
 * The meaning of an error: the login failed, a right is missing, there is no such database, or no such table; another
 * session interfered and everything was rolled back, or it kept a row locked; or the connection broke.
 */
export type Kind = 'login' | 'denied' | 'nowhere' | 'gone' | 'race' | 'locked' | 'lost'

/** The kinds of a database's errors, by their codes. */
export type Kinds = Readonly<Record<string, Kind>>

/** Where waiting does not help. */
const REFUSALS: Partial<Record<Kind, [code: ErrorCode, cure: string]>> = {
  login: ['UNAUTHORIZED', 'check the user and the password'],
  denied: ['FORBIDDEN', 'give its user the rights that docs/STORES.md names'],
  nowhere: ['STORE_UNKNOWN', 'if the name is right, make it first (CREATE DATABASE …): see docs/STORES.md'],
  gone: ['STORE_UNKNOWN', 'its tables are gone: find out who removed them, and see docs/OPERATIONS.md before a new store is made'],
}

/** The message of a driver's error. If several addresses were tried, each has an error of its own. */
export function wordsOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: unknown; errors?: { message?: string }[] }
  return message || errors?.map(({ message }) => message).join(', ') || String(code ?? error)
}

/** The error of a failed exchange for the caller. */
export function unreachable({ kind, place }: Pick<Link, 'kind' | 'place'>, cause: unknown, { message, code, kind: why }: Said): LeafidError {
  const detail = `${message}${code === '' ? '' : ` (${code})`}`
  const refusal = why && REFUSALS[why]
  if (refusal === undefined) return new LeafidError('STORE_UNAVAILABLE', `${kind} at ${place} cannot be used: ${detail}`, { cause })
  const [meant, cure] = refusal
  return new LeafidError(meant, `${place} does not let this process do that: ${detail}; ${cure}`, { cause })
}

/**
 * Refuses a server by its row of `settings`: one whose settings cannot be read, that cannot be a store, or that,
 * unless allowed, may lose what it answered.
 */
export function judge({ place }: Pick<Link, 'place'>, [refused, setting, cure]: Raw, allowUnsafe: boolean): void {
  if (refused === undefined || setting === undefined || typeof cure !== 'string') throw new LeafidError('STORE_REFUSED', `${place} does not say what it is set to`)
  if (refused) throw new LeafidError('STORE_REFUSED', `${place} ${refused}`)
  if (!setting || allowUnsafe) return
  const loses = 'a crash forgets what was answered last: the same numbers would be granted again'
  throw new LeafidError('STORE_REFUSED', `${place} has ${setting}, and ${loses}; ${cure}, or, if that loss is to be accepted, pass \`{ allowUnsafeSettings: true }\``)
}

export function columns(names: readonly string[], row: Raw): Columns {
  // Unnamed columns may share a name.
  return Object.fromEntries(names.map((name, at) => [names.indexOf(name) === at ? name : `${name} ${at}`, row[at]]))
}

/** The fields of a connection or a pool that contain its address. */
interface Told {
  options?: Told
  config?: Told
  connectionConfig?: Told
  connectionString?: unknown
  host?: unknown
  port?: unknown
  user?: unknown
  database?: unknown
}

/** The address of a connection or a pool for messages, without a password. */
export function placeOf(scheme: string, port: number, connection: object): string {
  const given = connection as Told
  const told = given.options ?? given.config?.connectionConfig ?? given.config ?? given
  if (typeof told.connectionString === 'string') return withoutPassword(told.connectionString)
  const { host = 'localhost', user, database } = told
  const at = `${user === undefined ? '' : `${String(user)}@`}${String(host)}:${String(told.port ?? port)}`
  return `${scheme}://${at}/${String(database ?? user ?? '')}`
}

export function withoutPassword(address: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(address)
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return `${address.split(':')[0]}://…`
  }
}

/** How a dialect writes literals. Each input has one strict form, so that no value can end its literal. */
export interface Literals {
  integer(digits: string): string
  bytes(hex: string): string
  text(value: string): string
}

/**
 * Writes the values of the parameters into a statement. PostgreSQL takes no parameters with several statements,
 * and those must go in one message, which is one transaction.
 */
export function inlined(text: Text, params: Params, literals: Literals): string {
  const { sql, names } = text
  if (names.length === 0) return sql
  let next = 0
  return sql.replace(/\?|\$(\d+)/g, (_, number?: string) => {
    const name = names[number === undefined ? next++ : Number(number) - 1]!
    return literal(name, valueOf(text, name, params), literals)
  })
}

function literal(name: string, value: Param, { integer, bytes, text }: Literals): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return bytes(hex(value))
  if (typeof value === 'string' && !isWide(name)) return text(value)
  const isWhole = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value)
  if (!isWhole) throw new Error(`\`:${name}\` is no whole number: ${String(value)}`)
  return integer(String(value))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
