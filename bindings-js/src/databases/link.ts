import type { Dialect } from '../sql/dialect.js'
import type { FarTables } from '../sql/run.js'
import { isWide, type Columns, type Param, type Params } from '../sql/text.js'
import type { ErrorCode } from '../values/codes.js'
import { LeafidError } from '../values/errors.js'

/** A row as a database sends it: every value as text, in the order of its columns. */
export type Raw = readonly (string | null)[]

/** What a kind of database does for a store, over a connection or a pool of the application's. */
export interface Link extends FarTables {
  /** What it is called, for a person. */
  kind: string
  /** Where it is and as whom it is used, without a password. */
  place: string
  dialect: Dialect
  /** What stands in the tables, which tables there are, and what the server is set to, as the texts of these names say. */
  told(...texts: ('found' | 'made' | 'settings')[]): Promise<Raw[][]>
  /** What else has to be there, or is in the way: looked at once. */
  examine?(): Promise<void>
  /** Makes the tables, unless another program is faster, and writes these rows. */
  make(steps: readonly { sql: string }[]): Promise<void>
}

/** Does one after another, whatever becomes of those before. */
export function inTurn(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const next = last.then(act)
    last = next.catch(() => {})
    return next
  }
}

/** Why an exchange failed: what the database said, and what follows from it. */
export interface Said {
  message: string
  /** Its code, such as `42P01` or `1146`. */
  code: string
  /** What no waiting cures. */
  refusal?: Refusal | undefined
}

/** Who asks is not known, or a right is missing; there is no such database, or no such table. */
export type Refusal = 'login' | 'denied' | 'nowhere' | 'gone'

const REFUSALS: Record<Refusal, [code: ErrorCode, cure: string]> = {
  login: ['UNAUTHORIZED', 'check the user and the password'],
  denied: ['FORBIDDEN', 'give its user the rights that docs/STORES.md names'],
  nowhere: ['STORE_UNKNOWN', 'if the name is right, make it first (CREATE DATABASE …): see docs/STORES.md'],
  gone: ['STORE_UNKNOWN', 'its tables are gone: find out who removed them, and see docs/OPERATIONS.md before a new store is made'],
}

/** What a driver's error says. Of several addresses that were tried, each has one of its own. */
export function wordsOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: unknown; errors?: { message?: string }[] }
  return message || errors?.map(({ message }) => message).join(', ') || String(code ?? error)
}

/** What a failed exchange means for who asks. */
export function unreachable({ kind, place }: Pick<Link, 'kind' | 'place'>, cause: unknown, { message, code, refusal }: Said): LeafidError {
  const detail = `${message}${code === '' ? '' : ` (${code})`}`
  if (refusal === undefined) return new LeafidError('STORE_UNAVAILABLE', `${kind} at ${place} cannot be used: ${detail}`, { cause })
  const [meant, cure] = REFUSALS[refusal]
  return new LeafidError(meant, `${place} does not let this process do that: ${detail}; ${cure}`, { cause })
}

/** Refuses a server that cannot be a store, or that may lose what was answered unless that is let pass, or that does not say, by what `settings` found. */
export function judge({ place }: Pick<Link, 'place'>, [refused, setting, cure]: Raw, allowUnsafe: boolean): void {
  if (refused === undefined || setting === undefined || typeof cure !== 'string') throw new LeafidError('STORE_REFUSED', `${place} does not say what it is set to`)
  if (refused) throw new LeafidError('STORE_REFUSED', `${place} ${refused}`)
  if (!setting || allowUnsafe) return
  const loses = 'a crash forgets what was answered last: the same numbers would be granted again'
  throw new LeafidError('STORE_REFUSED', `${place} has ${setting}, and ${loses}; ${cure}, or, if that loss is to be accepted, pass \`{ allowUnsafeSettings: true }\``)
}

export function columns(names: readonly string[], row: Raw): Columns {
  // Columns without a name of their own may share one.
  return Object.fromEntries(names.map((name, at) => [names.indexOf(name) === at ? name : `${name} ${at}`, row[at]]))
}

/** What of a connection or a pool tells where it goes. */
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

/** Where a connection or a pool goes, for a person: without a password. */
export function placeOf(scheme: string, port: number, connection: object): string {
  const given = connection as Told
  const told = given.options ?? given.config?.connectionConfig ?? given.config ?? given
  if (typeof told.connectionString === 'string') return withoutPassword(told.connectionString)
  const { host = 'localhost', user, database } = told
  const at = `${user === undefined ? '' : `${String(user)}@`}${String(host)}:${String(told.port ?? port)}`
  return `${scheme}://${at}/${String(database ?? user ?? '')}`
}

/** An address without its password and its options. */
export function withoutPassword(address: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(address)
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return `${address.split(':')[0]}://…`
  }
}

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
  if (typeof value === 'string' && !isWide(name)) return text(value)
  const isWhole = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value)
  if (!isWhole) throw new Error(`\`:${name}\` is no whole number: ${String(value)}`)
  return integer(String(value))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
