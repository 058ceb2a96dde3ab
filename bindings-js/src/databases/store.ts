import { isDatabase, sqliteAt, sqliteOver, sqliteStore } from '../files/sqlite.js'
import { theHost } from '../hosts/host.js'
import { load } from '../hosts/require.js'
import type { Store } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { shownAddress } from '../values/shown.js'
import { withoutPassword, type Link } from './link.js'
import { LEAF_TAGS } from './mysql.js'
import { checkSqlOptions, leafElsewhere, linked, over, type SqlStoreOptions } from './over.js'

/**
 * A connection or a pool that an application has: of `pg`, of `mysql2` (also with promises), of `better-sqlite3` or
 * `node:sqlite`. Or an address, such as `postgres://…`, to which the store has connections of its own.
 */
export type SqlConnection = string | { query(...words: never[]): unknown } | { prepare(text: string): unknown; exec(text: string): unknown }

/**
 * A store over a connection that the application has, with the server's tables and statements: any number of processes, and
 * servers, may use the database at the same time. Better a pool than a connection, and no connection that transactions run
 * on. It is looked at with the first ask. `REQUEST_INVALID` for anything else; when asked, `STORE_UNKNOWN` if there is no
 * store, `STORE_REFUSED` where a setting would lose what was answered.
 */
export function sqlStore(connection: SqlConnection, options: SqlStoreOptions = {}): Required<Store> {
  checkSqlOptions(options)
  const { tags, create } = options
  const isFile = typeof connection === 'string' && connection.startsWith('sqlite:')
  if (isFile || isDatabase(connection)) {
    if (tags !== undefined) throw leafElsewhere()
    return isFile ? sqliteStore(connection.slice('sqlite:'.length), create === undefined ? {} : { create }) : sqliteOver(connection as never, options)
  }
  if (typeof connection === 'string') {
    if (/^(postgres|postgresql|mysql|mariadb):/.test(connection)) return databaseAt(connection, options)
    throw new LeafidError('REQUEST_INVALID', `the address of an SQL store must be like \`postgres://…\`, \`mysql://…\` or \`sqlite:PATH\`, got ${shownAddress(connection)}`)
  }
  const link = linked(connection, tags === 'leaf_alloc')
  return over(() => link, options)
}

/** A store is asked rarely, and waits for nothing in a transaction of its own: one connection at work, and one beside it. */
const CONNECTIONS = 2
/** How long a connection may take to be made, in ms: less than an ask waits. */
const CONNECTING_MS = 2_000
/** How long an idle connection is kept, in ms. */
const IDLE_MS = 300_000

const named = new Map<string, Required<Store>>()

/** The store that an address such as `postgres://…`, `mysql://…` or `sqlite:ids.db` names: the same for the same address. */
export function storeAt(address: string): Required<Store> {
  if (address.startsWith('sqlite:')) return sqliteAt(address)
  const store = named.get(address) ?? databaseAt(address, { allowUnsafeSettings: /^(1|true)$/.test(theHost().setting('LEAFID_ALLOW_UNSAFE_SETTINGS') ?? '') })
  named.set(address, store)
  return store
}

/** The store in the database of an address, over a pool of its own. `REQUEST_INVALID` for an address that cannot be read. */
function databaseAt(given: string, options: SqlStoreOptions): Required<Store> {
  const address = given.replace(/^mariadb:/, 'mysql:')
  const isMysql = address.startsWith('mysql:')
  const [form, kind] = isMysql ? ['mysql', 'MySQL'] : ['postgres', 'PostgreSQL']
  // It is not repeated: it may have a password.
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
  // The next ask hears of a connection that was lost.
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
  // What nobody waits for keeps no process alive.
  pool.on('acquire', ({ stream }) => stream?.ref?.())
  pool.on('release', ({ stream }) => stream?.unref?.())
  return linked(pool, leaf, place)
}

/** The driver that the application has installed; leafid brings none. */
function driver<T>(name: string, scheme: string): T {
  try {
    return load(name) as T
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause
    throw new LeafidError('NOT_ENABLED', `\`${scheme}://\` needs the package ${name}: npm install ${name}`, { cause })
  }
}
