import type { Step } from '../sql/dialect.js'
import { TOKENS } from '../sql/text.js'
import { inTransaction, shadowed } from '../sql/unfit.js'
import { inTurn, type Raw } from './link.js'

/** What is used of a connection or a pool of `mysql2`, with callbacks or with promises. */
export interface MysqlConnection {
  query(options: object, done?: (error: unknown, rows: unknown, fields?: unknown) => void): unknown
  /** Of a wrapper with promises: what it wraps. */
  pool?: MysqlConnection
  connection?: MysqlConnection
  /** Of a pool. */
  getConnection?(done: (error: unknown, connection: PooledConnection) => void): void
  /** What was asked and is not sent yet: nobody else's may come between two of ours. */
  _commands?: { length: number }
  /** What was sent and is not answered yet. */
  _command?: object | null
}

interface PooledConnection extends MysqlConnection {
  release(): void
  destroy(): void
}

export interface Given {
  names: string[]
  rows: Raw[]
  /** How many rows it changed, of one that writes. */
  changed?: number
}

/** How long a row that somebody else keeps locked is waited for, in s. */
const LOCKED_S = 2
/** Of an error of the server: a row is there already. */
const isDuplicate = (error: unknown) => (error as { errno?: unknown }).errno === 1062

/** How long a connection may be in use otherwise, in ms. */
const PATIENCE_MS = 2_000

/** What the server says of the session with each answer: it is in a transaction; each statement is one. */
const [IN_TRANSACTION, AUTOCOMMIT] = [1, 2]

/**
 * Exchanges over a connection. A connection sends what it is asked one after another, so what is asked in one go is not
 * interrupted by others' statements: no exchange here waits in the middle of a transaction.
 */
export class Mysql {
  readonly #connection: MysqlConnection
  readonly #isOurs: boolean
  /** Exchanges over one connection: each waits until nothing else is asked there. */
  readonly #inTurn = inTurn()

  /** Of a connection or a pool that is ours alone nobody else makes temporary tables. */
  constructor(connection: MysqlConnection, isOurs: boolean) {
    this.#connection = connection
    this.#isOurs = isOurs
  }

  /** Runs statements that write nothing; what one of them is refused with may be let pass: it gives nothing then. */
  run(statements: readonly string[], passes: (error: unknown) => boolean = () => false): Promise<Given[]> {
    return this.#with(async (connection) => {
      const looks = this.#looks(statements)
      const [session, ...given] = await settled([STATUS, ...looks, ...statements].map((sql) => send(connection, sql)))
      check(session!, given.slice(0, looks.length))
      return given.slice(looks.length).map((given) => (given.error !== undefined && passes(given.error) ? NOTHING : sound(given)))
    })
  }

  /** Runs one statement, which is whole by itself; how many rows it changed. */
  alone(sql: string): Promise<number> {
    return this.#with(async (connection) => {
      await idle(connection, this.#looks([sql]))
      const [, given] = await settled([WAIT, sql, WAITED].map((sql) => send(connection, sql)))
      return given!.error !== undefined && isDuplicate(given!.error) ? 0 : (sound(given!).changed ?? 0)
    })
  }

  /**
   * Runs steps as one transaction. Nobody waits here to look whether each did what it must: the session counts, and commits
   * or does not. A deadlock ends a transaction, and what follows must not stand for itself: so none is begun, and nothing is
   * committed by itself meanwhile.
   */
  together(steps: readonly Step[], level: string): Promise<boolean> {
    return this.#with(async (connection) => {
      const must = steps.filter((step) => step.must !== 'nothing').length
      const count = { write: 'ROW_COUNT()', find: 'FOUND_ROWS()' }
      await idle(connection, this.#looks(steps.map(({ sql }) => sql)))
      const before = [WAIT, `SET TRANSACTION ISOLATION LEVEL ${level}`, 'SET autocommit = 0, @leafid = 0'].map((sql) => send(connection, sql))
      const during = steps.flatMap(({ sql, must }) => [
        send(connection, sql),
        ...(must === 'nothing' ? [] : [send(connection, `SET @leafid = @leafid + (${count[must]} > 0)`)]),
      ])
      const commit = [`SET @leafid = IF(@leafid = ${must}, 'COMMIT', 'DO 0')`, 'PREPARE leafid FROM @leafid', 'EXECUTE leafid'].map((sql) => send(connection, sql))
      const after = ['ROLLBACK', 'DEALLOCATE PREPARE leafid', 'SET autocommit = 1', WAITED, 'SELECT @leafid'].map((sql) => send(connection, sql))
      const all = await settled([...before, ...during, ...commit, ...after])
      const failed = all.flatMap(({ error }) => (error === undefined ? [] : [error]))
      const worse = failed.find((error) => !isDuplicate(error))
      if (worse !== undefined) throw worse
      return failed.length === 0 && all.at(-1)!.rows[0]?.[0] === 'COMMIT'
    })
  }

  /** Runs what makes a store, where nobody else does so at the same time. */
  making(statements: readonly string[]): Promise<void> {
    return this.#with(async (connection) => {
      const lock = "SELECT GET_LOCK(CONCAT('leafid ', DATABASE()), 2)"
      const [session, held] = await settled([STATUS, lock].map((sql) => send(connection, sql)))
      check(session!, [])
      if (sound(held!).rows[0]?.[0] !== '1') throw new Error('another program is making a store in this database')
      try {
        for (const sql of statements) {
          // A making that was not finished may have written this row already.
          const [given] = await settled([send(connection, sql)])
          if (given!.error !== undefined && !isDuplicate(given!.error)) throw given!.error
        }
      } finally {
        await settled([send(connection, "DO RELEASE_LOCK(CONCAT('leafid ', DATABASE()))")])
      }
    })
  }

  /** What tells of each table that these use whether it is the store's: a temporary one comes first, whatever its name is written with. */
  #looks(statements: readonly string[]): string[] {
    if (this.#isOurs) return []
    const used = statements.flatMap((sql) => [...sql.matchAll(USED)].map(([, table]) => table!))
    return [...new Set(used)].map((table) => `SHOW CREATE TABLE ${table}`)
  }

  /** A connection for as long as it takes. Of a pool one of its own; what broke is not given back. */
  async #with<T>(act: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    const { getConnection } = this.#connection
    if (getConnection === undefined) return this.#inTurn(() => act(this.#connection))
    const connection = await new Promise<PooledConnection>((resolve, reject) => {
      getConnection.call(this.#connection, (error, connection) => (error ? reject(error as Error) : resolve(connection)))
    })
    try {
      const done = await act(connection)
      connection.release()
      return done
    } catch (error) {
      if ((error as { fatal?: unknown }).fatal === true) connection.destroy()
      else connection.release()
      throw error
    }
  }
}

/** How long a statement waits for a lock, until `WAITED`: the session has what it had before. */
const WAIT = `SET @leafid_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = ${LOCKED_S}`
const WAITED = 'SET SESSION innodb_lock_wait_timeout = @leafid_wait'

/** Its answer says how the session stands, and nothing else. */
const STATUS = 'DO 0'

/** A table that a statement reads or writes, ours or Leaf's. */
const USED = /\b(?:FROM|INTO|UPDATE|JOIN) ((?:leafid_)?(?:meta|tags|namespaces|workers)|leaf_alloc)\b/g

/** Refuses a session in a transaction, and one with temporary tables that are called like the store's. A table that is not there is told by who uses it. */
function check(session: Settled, tables: readonly Settled[]): void {
  const { status = 0 } = sound(session)
  if ((status & IN_TRANSACTION) !== 0 || (status & AUTOCOMMIT) === 0) throw inTransaction('MySQL')
  for (const [table, made] of tables.flatMap(({ rows }) => rows)) {
    if (/^CREATE TEMPORARY /i.test(made ?? '')) throw shadowed('MySQL', table ?? '')
  }
}

/** Waits until nothing else is asked on a connection, so that what is asked next, at once, follows on how the session stood. */
async function idle(connection: MysqlConnection, looks: readonly string[]): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  do {
    if (Date.now() > end) throw new Error('the connection was in use all the time: pass a pool, or a connection that is used for nothing else')
    const [session, ...tables] = await settled([STATUS, ...looks].map((sql) => send(connection, sql)))
    check(session!, tables)
  } while (connection._command || (connection._commands?.length ?? 0) > 0)
}

interface Answer extends Given {
  status?: number
}

/** Every value as text, whatever the application has set for itself: bytes of tokens as hex digits. */
const AS_TEXT = {
  rowsAsArray: true,
  nestTables: false,
  namedPlaceholders: false,
  typeCast: (field: { name: string; string(encoding: string): string | null; buffer(): Buffer | null }) =>
    TOKENS.has(field.name) ? (field.buffer()?.toString('hex') ?? null) : field.string('utf8'),
}

/** Asks at once; the answer comes when it is its turn. */
function send(connection: MysqlConnection, sql: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    connection.query({ ...AS_TEXT, sql }, (error, rows, fields) => {
      if (error) return reject(error as Error)
      if (Array.isArray(rows)) return resolve({ names: (fields as { name: string }[]).map(({ name }) => name), rows: rows as Raw[] })
      const { affectedRows, serverStatus } = rows as { affectedRows: number; serverStatus: number }
      resolve({ names: [], rows: [], changed: affectedRows, status: serverStatus })
    })
  })
}

type Settled = Answer & { error?: unknown }

const NOTHING: Given = { names: [], rows: [] }

/** An answer; throws what there was instead. */
function sound(given: Settled): Settled {
  if (given.error !== undefined) throw given.error
  return given
}

/** What all gave, or failed with. */
async function settled(all: readonly Promise<Answer>[]): Promise<Settled[]> {
  const found = await Promise.allSettled(all)
  return found.map((one) => (one.status === 'fulfilled' ? one.value : { names: [], rows: [], error: one.reason as unknown }))
}
