import { TOKENS, type Step } from '../sql/text.js'
import { inTransaction, shadowed } from '../sql/unfit.js'
import { inTurn, type Raw } from './link.js'

/** The used part of a `mysql2` connection or pool, with callbacks or with promises. */
export interface MysqlConnection {
  query(options: object, done?: (error: unknown, rows: unknown, fields?: unknown) => void): unknown
  /** The connection or pool below a wrapper with promises. */
  pool?: MysqlConnection
  connection?: MysqlConnection
  /** Only pools have it. */
  getConnection?(done: (error: unknown, connection: PooledConnection) => void): void
  /** Commands that wait to be sent: nobody else's may come between two of ours. */
  _commands?: { length: number }
  /** The command that waits for its answer. */
  _command?: object | null
}

interface PooledConnection extends MysqlConnection {
  release(): void
  destroy(): void
}

export interface Given {
  names: string[]
  rows: Raw[]
  /** The number of changed rows, if the statement writes. */
  changed?: number
}

/** How long to wait for a row that another session has locked, in s. */
const LOCKED_S = 2
const isDuplicate = (error: unknown) => (error as { errno?: unknown }).errno === 1062

/** How long to wait until a connection is idle, in ms. */
const PATIENCE_MS = 2_000

/** Session flags in each answer: a transaction is open; every statement is one of its own. */
const [IN_TRANSACTION, AUTOCOMMIT] = [1, 2]

/**
 * Exchanges over a connection. It sends its commands in order, so those queued at once are not interrupted by others:
 * no exchange here waits in the middle of a transaction.
 */
export class Mysql {
  readonly #connection: MysqlConnection
  readonly #isOurs: boolean
  /** Serializes exchanges over one connection: each waits until the connection is idle. */
  readonly #inTurn = inTurn()

  /** `isOurs`: nobody else uses the connection or pool, so there are no temporary tables to look for. */
  constructor(connection: MysqlConnection, isOurs: boolean) {
    this.#connection = connection
    this.#isOurs = isOurs
  }

  /** Runs statements that only read; one whose error `passes` accepts gives nothing. */
  run(statements: readonly string[], passes: (error: unknown) => boolean = () => false): Promise<Given[]> {
    return this.#with(async (connection) => {
      const looks = this.#looks(statements)
      const [session, ...given] = await settled([STATUS, ...looks, ...statements].map((sql) => send(connection, sql)))
      check(session!, given.slice(0, looks.length))
      return given.slice(looks.length).map((given) => (given.error !== undefined && passes(given.error) ? NOTHING : sound(given)))
    })
  }

  /** Runs one statement, atomic by itself; returns the number of changed rows. */
  alone(sql: string): Promise<number> {
    return this.#with(async (connection) => {
      await idle(connection, this.#looks([sql]))
      const [, given] = await settled([WAIT, sql, WAITED].map((sql) => send(connection, sql)))
      return given!.error !== undefined && isDuplicate(given!.error) ? 0 : (sound(given!).changed ?? 0)
    })
  }

  /**
   * Runs steps as one transaction without waiting between them: the session counts whether each step did what it must,
   * and commits or does not. No transaction is begun and autocommit is off meanwhile: after a deadlock has ended the
   * transaction, the steps that follow must not be committed by themselves.
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

  /** Runs the statements that create a store, under a lock against others that do the same. */
  making(statements: readonly string[]): Promise<void> {
    return this.#with(async (connection) => {
      const lock = "SELECT GET_LOCK(CONCAT('leafid ', DATABASE()), 2)"
      const [session, held] = await settled([STATUS, lock].map((sql) => send(connection, sql)))
      check(session!, [])
      if (sound(held!).rows[0]?.[0] !== '1') throw new Error('another program is making a store in this database')
      try {
        for (const sql of statements) {
          // A creation that was interrupted may have written this row already.
          const [given] = await settled([send(connection, sql)])
          if (given!.error !== undefined && !isDuplicate(given!.error)) throw given!.error
        }
      } finally {
        await settled([send(connection, "DO RELEASE_LOCK(CONCAT('leafid ', DATABASE()))")])
      }
    })
  }

  /** Queries that show for each used table whether it is the store's: a temporary table hides it under any spelling. */
  #looks(statements: readonly string[]): string[] {
    if (this.#isOurs) return []
    const used = statements.flatMap((sql) => [...sql.matchAll(USED)].map(([, table]) => table!))
    return [...new Set(used)].map((table) => `SHOW CREATE TABLE ${table}`)
  }

  /** Runs `act` with a connection, taken from the pool if there is one. A broken connection is not given back. */
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

/** Sets the lock wait time-out; `WAITED` restores the session's own. */
const WAIT = `SET @leafid_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = ${LOCKED_S}`
const WAITED = 'SET SESSION innodb_lock_wait_timeout = @leafid_wait'

/** Its answer contains only the session's flags. */
const STATUS = 'DO 0'

/** A table that a statement reads or writes, ours or Leaf's. */
const USED = /\b(?:FROM|INTO|UPDATE|JOIN) ((?:leafid_)?(?:meta|tags|namespaces|workers|servers)|leaf_alloc)\b/g

/**
 * Refuses a session in a transaction, or with temporary tables that hide the store's. Missing tables are left
 * to the statements that use them.
 */
function check(session: Settled, tables: readonly Settled[]): void {
  const { status = 0 } = sound(session)
  if ((status & IN_TRANSACTION) !== 0 || (status & AUTOCOMMIT) === 0) throw inTransaction('MySQL')
  for (const [table, made] of tables.flatMap(({ rows }) => rows)) {
    if (/^CREATE TEMPORARY /i.test(made ?? '')) throw shadowed('MySQL', table ?? '')
  }
}

/** Waits until a connection is idle, so that a command queued at once meets the session in the state just seen. */
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

/** Has every value read as text, whatever the application has set; tokens as hex digits. */
const AS_TEXT = {
  rowsAsArray: true,
  nestTables: false,
  namedPlaceholders: false,
  typeCast: (field: { name: string; string(encoding: string): string | null; buffer(): Buffer | null }) =>
    TOKENS.has(field.name) ? (field.buffer()?.toString('hex') ?? null) : field.string('utf8'),
}

/** Queues a command at once; resolves with its answer. */
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

/** The answer, or throws its error. */
function sound(given: Settled): Settled {
  if (given.error !== undefined) throw given.error
  return given
}

/** All answers, errors included. */
async function settled(all: readonly Promise<Answer>[]): Promise<Settled[]> {
  const found = await Promise.allSettled(all)
  return found.map((one) => (one.status === 'fulfilled' ? one.value : { names: [], rows: [], error: one.reason as unknown }))
}
