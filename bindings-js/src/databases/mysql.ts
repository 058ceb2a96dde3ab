import type { Dialect, Query, Step, Texts } from '../sql/text.js'
import { isLeafidError, LeafidError } from '../values/errors.js'
import { columns, inlined, placeOf, unreachable, wordsOf, type Kinds, type Link, type Literals, type Raw, type Said } from './link.js'
import { Mysql, type Given, type MysqlConnection } from './mysql-connection.js'
import { KINDS, LEAF, TEXTS, VERSION } from './mysql-texts.js'

/** The end of a URL for a store whose tags are in Leaf's table. */
export const LEAF_TAGS = '?tags=leaf_alloc'

/** The server's error number for characters that no name there can have. */
const UNWRITABLE = 1267

/** Texts are written as hex digits, so none can end its literal, however the session reads backslashes and quotes. */
const LITERALS: Literals = {
  integer: (digits) => digits,
  bytes: (hex) => `X'${hex}'`,
  text: (value) => `_utf8mb4 X'${Buffer.from(value, 'utf8').toString('hex')}'`,
}

/** The statements of MySQL and MariaDB, over a database of our own or over Leaf's. */
function dialect(leaf: boolean): Dialect {
  const texts: Texts = leaf ? LEAF : TEXTS
  return { version: VERSION, query: (name, params = {}) => ({ sql: inlined(texts[name]!, params, LITERALS), params: [] }), leaf, beatEachMs: 3_600_000 }
}

/** The store over a pool or a connection of `mysql2`. */
export function mysql(connection: MysqlConnection, leaf: boolean, given: string | undefined): Link {
  const place = given ?? `${placeOf('mysql', 3306, core(connection))}${leaf ? LEAF_TAGS : ''}`
  const own = dialect(leaf)
  const database = new Mysql(core(connection), given !== undefined)
  const link: Link = { kind: 'MySQL', place, dialect: own, told, read, write, make, examine }
  let isByStatements = false

  async function exchange<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      if (isLeafidError(error) || isRace(error)) throw error
      throw unreachable(link, error, said(error))
    }
  }

  function read(queries: readonly Query[]): Promise<ReturnType<typeof rowsOf>[]> {
    return exchange(async () => {
      const all = await database.run(queries.map(({ sql }) => sql), (error) => said(error).code === String(UNWRITABLE))
      return all.map(rowsOf)
    })
  }

  function told(...texts: ('found' | 'made' | 'settings')[]): Promise<Raw[][]> {
    return exchange(async () => {
      const all = (await database.run(texts.map((name) => own.query(name).sql))).map(({ rows }) => rows)
      const settings = texts.indexOf('settings')
      if (settings >= 0) isByStatements = all[settings]?.[0]?.[3] === '1'
      return all
    })
  }

  /** Commits if every step's condition holds; a row that exists already is a failed condition. */
  function write(steps: readonly Step[]): Promise<boolean> {
    return exchange(async () => {
      try {
        const [first] = steps
        if (steps.length === 1 && first!.must === 'write') return (await database.alone(first!.sql)) > 0
        // A statement-based binary log refuses READ COMMITTED. Changes lock the rows they read: both levels are safe.
        return await database.together(steps, isByStatements ? 'REPEATABLE READ' : 'READ COMMITTED')
      } catch (error) {
        if (isRace(error)) return false
        throw error
      }
    })
  }

  /** Refuses tables of a storage engine without transactions. */
  async function examine(): Promise<void> {
    const looked = await exchange(() => database.run([own.query('foreign'), ...(leaf ? [own.query('columns')] : [])].map(({ sql }) => sql)))
    const [[foreign] = [], [mismatch, refused] = []] = looked.map(({ rows }) => rows[0] ?? [])
    if (leaf && mismatch === undefined) throw new LeafidError('STORE_REFUSED', `${place} does not say what its table leaf_alloc is`)
    if (mismatch) throw new LeafidError('SCHEMA_MISMATCH', `${place} ${mismatch}`)
    const why = foreign ?? refused
    if (why) throw new LeafidError('STORE_REFUSED', `${place} ${why}`)
  }

  function make(steps: readonly { sql: string }[]): Promise<void> {
    return exchange(() => database.making([...own.query('schema').sql.split(';'), ...steps.map(({ sql }) => sql)]))
  }

  return link
}

function core(connection: MysqlConnection): MysqlConnection {
  return connection.pool ?? connection.connection ?? connection
}

function rowsOf({ names, rows }: Given) {
  return rows.map((row) => columns(names, row))
}

function said(error: unknown): Said {
  const { errno, sqlMessage } = error as { errno?: unknown; sqlMessage?: string }
  const number = typeof errno === 'number' && sqlMessage !== undefined ? String(errno) : ''
  return { message: sqlMessage ?? wordsOf(error), code: number, kind: (KINDS as Kinds)[number] }
}

/** Whether the error is a deadlock: the database has rolled everything back. */
function isRace(error: unknown): boolean {
  return said(error).kind === 'race'
}
