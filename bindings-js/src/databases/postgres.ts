import { TOKENS, type Dialect, type Query, type Step, type Texts } from '../sql/text.js'
import { inTransaction } from '../sql/unfit.js'
import { isLeafidError } from '../values/errors.js'
import { columns, inlined, inTurn, placeOf, unreachable, wordsOf, type Kinds, type Link, type Literals, type Raw, type Said } from './link.js'
import { KINDS, TEXTS, VERSION } from './postgres-texts.js'

/** The used part of a `pg` client or pool. */
export interface PgQueryable {
  query(config: object): Promise<unknown>
}

interface Result {
  fields?: readonly { name: string }[]
  rows: Raw[]
  rowCount: number | null
}

/** Key of the advisory lock against creating a store twice: `leafid` as a number. */
const MAKING = 0x6c6561666964n
/** How long to wait for a row that another session has locked, and how long a statement may take, in ms. */
const [LOCKED_MS, STATEMENT_MS] = [2_000, 3_000]

const INSIDE = 'leafid: this connection is inside a transaction'
const CONFLICT = 'leafid: another process wrote this row first, and it is tried again'

/** Raises an error with this text. It is computed from a row: the planner would evaluate a constant at once. */
const raise = (what: string, row: string) => `('${what}' || ${row}::text)::int`

/**
 * The start of each message, which is one transaction: every setting ends with it. A transaction that is already open
 * is refused before anything is set in it. `DURABLE` keeps a session from answering before its commit is durable.
 */
const HEAD = [
  'SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  `SELECT CASE WHEN now() = statement_timestamp() THEN 0 ELSE ${raise(INSIDE, 'now()')} END`,
  // Otherwise a temporary table of the session would be found first.
  'SET LOCAL search_path = leafid, pg_temp',
  `SET LOCAL lock_timeout = ${LOCKED_MS}`,
  `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
  'SET LOCAL bytea_output = hex',
]
const DURABLE = "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"

/** Literals get their type from their place; `E''` reads a backslash alike in every session. */
const quoted = (text: string) => `E'${text.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`
const LITERALS: Literals = { integer: quoted, bytes: (hex) => quoted(`\\x${hex}`), text: quoted }

export const POSTGRES: Dialect = {
  version: VERSION,
  query: (name, params = {}) => ({ sql: inlined((TEXTS as Texts)[name]!, params, LITERALS), params: [] }),
  beatEachMs: 3_600_000,
}

/** The store over a pool or a client of `pg`. */
export function postgres(connection: PgQueryable, given: string | undefined): Link {
  const place = given ?? placeOf('postgres', 5432, connection)
  const isPool = typeof (connection as { totalCount?: unknown }).totalCount === 'number'
  const send = isPool ? direct(connection) : alone(connection)
  const link: Link = { kind: 'PostgreSQL', place, dialect: POSTGRES, told, read, write, make }

  async function exchange(statements: readonly string[], head = HEAD): Promise<Result[]> {
    try {
      const all = (await send([...head, ...statements].join(';\n'))) as Result[]
      return all.slice(-statements.length)
    } catch (error) {
      if (says(error, INSIDE)) throw inTransaction(link.kind)
      // Conflicts, which are decided again, and errors of leafid pass unchanged.
      throw says(error, CONFLICT) || isRace(error) || isLeafidError(error) ? error : unreachable(link, error, said(error))
    }
  }

  async function read(queries: readonly Query[]): Promise<ReturnType<typeof rowsOf>[]> {
    return (await exchange(queries.map(({ sql }) => sql))).map(rowsOf)
  }

  async function told(...texts: ('found' | 'made' | 'settings')[]): Promise<Raw[][]> {
    return (await exchange(texts.map((name) => TEXTS[name].sql))).map(({ rows }) => rows)
  }

  async function write(steps: readonly Step[]): Promise<boolean> {
    const [first] = steps
    try {
      // A single statement needs nothing to undo it.
      if (steps.length === 1 && first!.must !== 'nothing') return ((await exchange([DURABLE, first!.sql]))[1]!.rowCount ?? 0) > 0
      await exchange([DURABLE, ...steps.map(guarded)])
      return true
    } catch (error) {
      if (says(error, CONFLICT) || isRace(error)) return false
      throw error
    }
  }

  async function make(steps: readonly { sql: string }[]): Promise<void> {
    // One process at a time creates the tables. The next one fails as they exist, and is rolled back.
    await exchange([DURABLE, `SELECT pg_advisory_xact_lock(${MAKING})`, ...TEXTS.schema.sql.split(';'), ...steps.map(({ sql }) => sql)])
  }

  return link
}

/** A statement that must write or find a row: without one the whole message is rolled back. */
function guarded({ sql, must }: Step): string {
  if (must === 'nothing') return sql
  return `WITH step AS (${sql}) SELECT CASE WHEN count(*) > 0 THEN 0 ELSE ${raise(`${CONFLICT}: `, 'count(*)')} END FROM step`
}

/** Has every value read as text, whatever parsers the application has set. */
const TYPES = { getTypeParser: () => (value: unknown) => value }
const asked = (text: string) => ({ text, rowMode: 'array', types: TYPES })

function direct(connection: PgQueryable): (text: string) => Promise<unknown> {
  return (text) => connection.query(asked(text))
}

/** Serializes a client's exchanges, each only if no transaction is open: an error of ours would abort that one. */
function alone(connection: PgQueryable): (text: string) => Promise<unknown> {
  const after = inTurn()
  const send = async (text: string) => {
    const look = connection.query(asked('SELECT now() <> statement_timestamp()')) as Promise<Result>
    const found = await look.catch((error: unknown) => {
      // A transaction is open, and has failed.
      if (said(error).code === '25P02') return undefined
      throw error
    })
    if (found?.rows[0]?.[0] !== 'f') throw inTransaction('PostgreSQL')
    return connection.query(asked(text))
  }
  return (text) => after(() => send(text))
}

const FLAGS = new Set(['sticky', 'deleted'])

/** Rows by the names of their columns: flags as 0 and 1, tokens as hex digits. */
function rowsOf({ fields = [], rows }: Result) {
  const names = fields.map(({ name }) => name)
  const value = (name: string, text: string | null | undefined) => {
    if (text === null || text === undefined) return null
    if (FLAGS.has(name)) return text === 't' ? '1' : '0'
    return TOKENS.has(name) ? text.replace(/^\\x/, '') : text
  }
  return rows.map((row) => columns(names, names.map((name, at) => value(name, row[at]))))
}

function said(error: unknown): Said {
  const { code } = error as { code?: unknown }
  const state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : ''
  const kinds: Kinds = KINDS
  return { message: wordsOf(error), code: state, kind: kinds[state] ?? kinds[state.slice(0, 2)] }
}

/** Whether the error is one that our `raise` made. */
function says(error: unknown, what: string): boolean {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  return code === '22P02' && message.includes(what)
}

/** Whether another session interfered and the database rolled everything back. */
function isRace(error: unknown): boolean {
  return said(error).kind === 'race'
}
