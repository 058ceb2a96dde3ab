import { isDatabase, sqliteOver, sqliteStore, type SqliteStoreOptions } from '../files/sqlite.js'
import { randomToken, theHost } from '../hosts/host.js'
import { load } from '../hosts/require.js'
import { storeClock } from '../sql/clock.js'
import { commanded } from '../sql/declared.js'
import { endFar, told, whenNoted } from '../sql/run.js'
import { bytes, column, type Columns } from '../sql/text.js'
import { notThere, otherVersion } from '../sql/unfit.js'
import { checkClock, makingDefault, Works, type Waits } from '../sql/work.js'
import { checkCreate, type Declarations } from '../stores/declared.js'
import { newGuest } from '../stores/guest.js'
import { journalIn } from '../stores/journal.js'
import { storeOf, type Store, type Verb } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { quoted, shown, shownAddress } from '../values/shown.js'
import { judge, withoutPassword, type Link, type Raw } from './link.js'
import type { MysqlConnection } from './mysql-connection.js'
import { mysql, LEAF_TAGS } from './mysql.js'
import { postgres, type PgQueryable } from './postgres.js'

/** The link over a connection or a pool; `place` is its address, if one was given. */
export function linked(connection: unknown, leaf: boolean, place?: string): Link {
  const has = (name: string) => typeof (connection as Record<string, unknown> | null | undefined)?.[name] === 'function'
  if (has('query') && has('execute')) return mysql(connection as MysqlConnection, leaf, place)
  if (has('query') && has('connect')) {
    if (leaf) throw leafElsewhere()
    return postgres(connection as PgQueryable, place)
  }
  const kinds = 'a pool or client of `pg`, a pool or connection of `mysql2`, or a database of `better-sqlite3` or `node:sqlite`'
  throw new LeafidError('REQUEST_INVALID', `\`sqlStore\` needs ${kinds}, got ${shown(connection)}`)
}

/** A store that connects with the first ask. */
export function over(connect: () => Link, { create, journal: folder, allowUnsafeSettings = false }: SqlStoreOptions): Required<Store> {
  const [declared, journal] = [checkCreate(create), journalIn(folder)]
  const lines = new Map<string, Promise<unknown>>()
  let link: Link | undefined
  let opening: Promise<Works> | undefined

  async function decided(verb: Verb, ask: object, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted === true) throw new LeafidError('OVERLOADED', 'those who asked before took too long: the store has more to do than it can; ask again')
    const tables = (link ??= connect())
    // A failed opening is tried again with the next ask.
    const works = await (opening ??= opened(tables, declared, allowUnsafeSettings).catch((error: unknown) => {
      opening = undefined
      throw error
    }))
    const act = () => endFar(tables, () => works.begin(verb, ask as never), signal)
    const look = async (waits: Waits, isLate: boolean) => told(await endFar(tables, () => works.noted(waits, isLate), signal))
    const raise = (known: string) => endFar(tables, () => works.raising(known), signal)
    return whenNoted(await act(), { act, look, leave: (waits) => tables.write([works.leaving(waits)]), journal, raise })
  }

  // Asks for one line run one after another: together, all but one would conflict and decide again.
  return storeOf((verb, ask: { tag: string; namespace: string }, signal) => {
    const line = verb === 'leaseSegment' ? `tag ${ask.tag}` : `namespace ${ask.namespace}`
    const next = (lines.get(line) ?? Promise.resolve()).then(() => decided(verb, ask, signal))
    const over = next.then(
      () => {},
      () => {},
    )
    lines.set(line, over)
    void over.then(() => lines.get(line) === over && lines.delete(line))
    return next
  })
}

/** Options of a store in a database. */
export interface SqlStoreOptions extends SqliteStoreOptions {
  /** MySQL: uses the rows of Leaf's own table as tags, as `?tags=leaf_alloc` of an address does. */
  tags?: 'leaf_alloc'
  /** Accepts server settings that can lose what was answered: for test databases. */
  allowUnsafeSettings?: boolean
}

/** The error of `tags: 'leaf_alloc'` for a database without Leaf's table. */
function leafElsewhere(): LeafidError {
  return new LeafidError('REQUEST_INVALID', "`tags: 'leaf_alloc'` is Leaf's table, which is in MySQL or MariaDB only")
}

/** Opens the store in a database, or creates it if asked to. */
async function opened(link: Link, create: Declarations | undefined, allowUnsafeSettings: boolean): Promise<Works> {
  const [settings = [], made = []] = await link.told('settings', 'made')
  judge(link, settings[0] ?? [], allowUnsafeSettings)
  await link.examine?.()
  let meta = await found(link, made)
  if (meta === undefined) {
    if (create === undefined) throw lacks(link)
    meta = await making(link, create)
  }
  const isOther = (version: number) => otherVersion(quoted(link.place), version, link.dialect.version)
  if (Number(meta['version']) !== link.dialect.version) throw isOther(Number(meta['version']))
  const [[counts] = []] = await link.told('found')
  let longest = Number(counts?.[2])
  const granted = Number(counts?.[3])
  const [[time] = []] = await link.read([link.dialect.query('now')])
  const told = Number(Object.values(time!)[0])
  checkClock(told, granted, Number(meta['beat_ms']), "the database's clock")
  const clock = storeClock(granted, told, theHost().ticking())
  return new Works({
    ...commanded(create, link.place),
    dialect: link.dialect,
    guest: newGuest(),
    hasVersion: false,
    hears: (told) => clock(told, theHost().ticking(), () => longest),
    judges: (settings) => judge(link, Object.values(settings) as Raw, allowUnsafeSettings),
    sees(longestMs) {
      longest = Math.max(longest, longestMs)
    },
    place: link.place,
    otherVersion: isOther,
  })
}

/** The store's own row, if there is a store; `SCHEMA_MISMATCH` if another program's table has one of our names. */
async function found(link: Link, made: readonly Raw[]): Promise<Columns | undefined> {
  const [first] = made
  if (first === undefined) return undefined
  // Beside another program's tables, ours have the prefix `leafid_`.
  const isOurs = made.some(([name, versioned]) => name?.replace(/^leafid_/, '') === 'meta' && Number(versioned) > 0)
  if (isOurs) return (await link.read([link.dialect.query('meta')]))[0]?.[0]
  const message = `${link.place} is not a leafid store: its table ${quoted(String(first[0]))} is another program's; give leafid a database of its own`
  throw new LeafidError('SCHEMA_MISMATCH', message)
}

/** Creates the tables, the namespace `default`, and last the store's row, unless another program was faster. */
async function making(link: Link, declared: Declarations): Promise<Columns> {
  const { dialect } = link
  const [[time] = []] = await link.read([dialect.query('now')])
  const id = { version: dialect.version, store: bytes(randomToken()), created_ms: Number(Object.values(time!)[0]), floor_ms: 0 }
  const steps = [...makingDefault(dialect, declared), dialect.query('make', id)]
  let failed: unknown
  await link.make(steps).catch((error: unknown) => (failed = error))
  const [made = []] = await link.told('made')
  const meta = await found(link, made)
  if (meta !== undefined && column(meta, 'store') !== undefined) return meta
  throw failed ?? lacks(link)
}

function lacks({ place }: Link): LeafidError {
  return notThere(place, 'has no tables', '`{ create: true }` of `sqlStore` in leafid/node')
}

/**
 * An application's connection or pool: of `pg`, of `mysql2` (also with promises), of `better-sqlite3` or `node:sqlite`.
 * Or an address, such as `postgres://…`, to which the store makes connections of its own.
 */
export type SqlConnection = string | { query(...words: never[]): unknown } | { prepare(text: string): unknown; exec(text: string): unknown }

/**
 * A store over an application's connection, with the server's tables and statements: any number of processes, and
 * servers, may use the database at the same time. Prefer a pool; a connection must not be one that runs transactions.
 * The first ask opens it. `REQUEST_INVALID` for anything else; when asked, `STORE_UNKNOWN` if there is no store,
 * `STORE_REFUSED` if a setting could lose what was answered.
 */
export function sqlStore(connection: SqlConnection, options: SqlStoreOptions = {}): Required<Store> {
  checkOptions(options, { names: ['create', 'journal', 'tags', 'allowUnsafeSettings'] })
  const { tags, allowUnsafeSettings: _, ...common } = options
  if (tags !== undefined && tags !== 'leaf_alloc') throw new LeafidError('REQUEST_INVALID', `\`tags\` must be 'leaf_alloc', Leaf's table, got ${shown(tags)}`)
  const isFile = typeof connection === 'string' && connection.startsWith('sqlite:')
  if (isFile || isDatabase(connection)) {
    if (tags !== undefined) throw leafElsewhere()
    return isFile ? sqliteStore(connection.slice('sqlite:'.length), common) : sqliteOver(connection as never, options)
  }
  if (typeof connection === 'string') {
    if (/^(postgres|postgresql|mysql|mariadb):/.test(connection)) return databaseAt(connection, options)
    throw new LeafidError('REQUEST_INVALID', `the address of an SQL store must be like \`postgres://…\`, \`mysql://…\` or \`sqlite:PATH\`, got ${shownAddress(connection)}`)
  }
  const link = linked(connection, tags === 'leaf_alloc')
  return over(() => link, options)
}

/** Pool size: asks are rare, and no transaction waits. One connection works, one is in reserve. */
const CONNECTIONS = 2
/** Time-out of a connection attempt, in ms: less than that of an ask. */
const CONNECTING_MS = 2_000
/** How long an idle connection is kept, in ms. */
const IDLE_MS = 300_000

/** The store at an address such as `postgres://…`, `mysql://…` or `sqlite:ids.db`. */
export function storeAt(address: string): Required<Store> {
  const allowUnsafeSettings = /^(1|true)$/.test(theHost().setting('LEAFID_ALLOW_UNSAFE_SETTINGS') ?? '')
  return sqlStore(address, { allowUnsafeSettings })
}

/** The store in the database at an address, over a pool of its own. `REQUEST_INVALID` for an invalid address. */
function databaseAt(given: string, options: SqlStoreOptions): Required<Store> {
  const address = given.replace(/^mariadb:/, 'mysql:')
  const isMysql = address.startsWith('mysql:')
  const [form, kind] = isMysql ? ['mysql', 'MySQL'] : ['postgres', 'PostgreSQL']
  // The message does not repeat the address: it may contain a password.
  const unusable = (why: string) =>
    new LeafidError('REQUEST_INVALID', `the address of the ${kind} store ${why}: it must be like \`${form}://USER:PASSWORD@HOST:PORT/DATABASE\`, with \`%40\` for an \`@\` in the password`)
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw unusable('cannot be read')
  }
  if (url.hostname === '' && !url.searchParams.has('host')) throw unusable('names no host')
  if (isMysql && url.pathname.length < 2) throw unusable('names no database')
  const tags = url.searchParams.getAll('tags')
  if (tags.length > 0 && (!isMysql || tags.join() !== 'leaf_alloc')) throw unusable(`has \`tags=${tags.join()}\`, and only \`mysql://…${LEAF_TAGS}\` is known`)
  url.searchParams.delete('tags')
  const leaf = tags.length > 0 || options.tags === 'leaf_alloc'
  if (leaf && !isMysql) throw unusable("cannot have Leaf's table")
  const place = `${withoutPassword(address)}${leaf ? LEAF_TAGS : ''}`
  return over(() => (isMysql ? mysqlPool(url.href, leaf, place) : postgresPool(url.href, place)), options)
}

interface PgModule {
  Pool: new (options: object) => { on(event: 'error', act: () => void): void }
}

function postgresPool(connectionString: string, place: string): Link {
  const { Pool } = driver<PgModule>('pg', 'postgres')
  const options = { connectionString, max: CONNECTIONS, connectionTimeoutMillis: CONNECTING_MS, idleTimeoutMillis: IDLE_MS, application_name: 'leafid' }
  const pool = new Pool({ ...options, allowExitOnIdle: true })
  // A lost connection becomes the error of the next ask.
  pool.on('error', () => {})
  return linked(pool, false, place)
}

interface Used {
  stream?: { ref?(): void; unref?(): void }
}

interface MysqlModule {
  createPool(options: object): { on(event: 'acquire' | 'release', act: (connection: Used) => void): void }
}

function mysqlPool(uri: string, leaf: boolean, place: string): Link {
  const { createPool } = driver<MysqlModule>('mysql2', 'mysql')
  const pool = createPool({ uri, connectionLimit: CONNECTIONS, maxIdle: CONNECTIONS, connectTimeout: CONNECTING_MS })
  // Idle connections do not keep the process alive.
  pool.on('acquire', ({ stream }) => stream?.ref?.())
  pool.on('release', ({ stream }) => stream?.unref?.())
  return linked(pool, leaf, place)
}

/** Loads the driver that the application has installed; leafid includes none. */
function driver<T>(name: string, scheme: string): T {
  try {
    return load(name) as T
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause
    throw new LeafidError('NOT_ENABLED', `\`${scheme}://\` needs the package ${name}: npm install ${name}`, { cause })
  }
}
