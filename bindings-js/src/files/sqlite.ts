import { dirname, resolve } from 'node:path'
import { randomToken, theHost, type Host } from '../hosts/host.js'
import { storeClock } from '../sql/clock.js'
import { commanded } from '../sql/declared.js'
import { endNear, told, whenNoted, type Tables } from '../sql/run.js'
import { SQLITE, bytes, query, type Query } from '../sql/text.js'
import { TEXTS, VERSION } from '../sql/texts.js'
import { inTransaction, notThere, otherVersion, shadowed } from '../sql/unfit.js'
import { checkClock, makingDefault, Works, type Waits } from '../sql/work.js'
import { checkCreate, type Declarations } from '../stores/declared.js'
import { newGuest } from '../stores/guest.js'
import { journalIn, type Journal } from '../stores/journal.js'
import { storeOf, type Store, type Verb } from '../stores/store.js'
import { isLeafidError, LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { quoted, shown } from '../values/shown.js'
import { isBusy, isInTransaction, Connection, type Database } from './driver.js'
import { checkPlace, checkWritable, isEmpty, isThere, real, watched } from './place.js'

/** How long to retry while other processes write, in ms: less than the 3 s after which a holder's ask times out. */
const PATIENCE_MS = 2_500
const LONGEST_MS = 8

/** Options of a store in an SQLite file. */
export interface SqliteStoreOptions {
  /**
   * Creates the store if there is none: `true`, or the declared tags and namespaces. Missing ones are created; one
   * that differs from its declaration is `TAG_EXISTS` or `LAYOUT_MISMATCH` at its first use.
   */
  create?: boolean | Declarations
  /**
   * A folder in which the processes of this machine note what they were granted, so that nothing is granted twice after
   * an older state of the store is put back; by default that of `LEAFID_JOURNAL`. Needs the native package.
   */
  journal?: string
}

/** The wall clock and the machine's uptime, in ms: the host's, except in tests. */
type Clocks = Pick<Host, 'wall' | 'ticking'>

/** Decides an ask over the tables of an open file. */
type Decides = (verb: Verb, ask: never) => unknown

/**
 * The store in an SQLite file, with the server's tables: any number of processes, and a server, may use it at the same
 * time. The first ask opens it. `REQUEST_INVALID` for bad arguments, the codes of invalid declarations, `STATE_INVALID`
 * for a `journal` that is no folder; when asked, `NOT_ENABLED` if Node has no SQLite, `STORE_UNKNOWN` if there is no store.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}, clocks: Clocks = theHost()): Required<Store> {
  if (typeof path !== 'string' || path === '') throw new LeafidError('REQUEST_INVALID', `the path of an SQLite file must be a text, got ${shown(path)}`)
  checkOptions(options, { names: ['create', 'journal'] })
  const [file, create, journal] = [resolve(path), checkCreate(options.create), journalIn(options.journal)]
  return store(() => hold(openFile(file, create, clocks), create, clocks, journal))
}

export function isDatabase(connection: unknown): connection is Database {
  const { prepare, exec } = (connection ?? {}) as Record<string, unknown>
  return typeof prepare === 'function' && typeof exec === 'function'
}

/** The store in an application's open database. Waits for other processes as long as its connection is set to. */
export function sqliteOver(database: Database, options: SqliteStoreOptions & { allowUnsafeSettings?: boolean }): Required<Store> {
  const [create, journal] = [checkCreate(options.create), journalIn(options.journal)]
  return store(() => {
    const decides = outside(() => hold(openGiven(database, create, theHost(), options.allowUnsafeSettings === true), create, theHost(), journal))
    return (verb, ask) => outside(() => decides(verb, ask))
  })
}

/** Runs what begins a transaction; a clear error if one of the application's is open. */
function outside<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw isInTransaction(error) ? inTransaction('SQLite', 'a path') : error
  }
}

function store(open: () => Decides): Required<Store> {
  let decides: Decides | undefined
  return storeOf((verb, ask, signal) => {
    const attempt = () => (decides ??= open())(verb, ask)
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      return later(attempt, signal)
    }
  })
}

function hold({ path, connection, granted }: File, create: Declarations | undefined, clocks: Clocks, journal: Journal | undefined): Decides {
  const checkFile = watched(path)
  const time = storeClock(granted, clocks.wall(), clocks.ticking())
  const longest = () => Number(Object.values(connection.all(query(TEXTS.longest))[0] ?? {})[0])
  const place = `sqlite:${path}`
  const works = new Works({
    ...commanded(create, place),
    guest: newGuest(),
    clock: () => time(clocks.wall(), clocks.ticking(), longest),
    hasVersion: false,
    place,
    otherVersion: (version) => otherVersion(quoted(path), version, VERSION),
  })
  const checked = <T>(act: () => T) => () => {
    checkFile()
    const [shadow] = connection.all({ sql: SHADOWS, params: [] })
    if (shadow !== undefined) throw shadowed('SQLite', String(shadow['name']))
    return act()
  }
  const own = { all: (query: Query) => connection.all(query), run: (query: Query) => connection.run(query) }
  const tables: Tables = { ...own, transaction: (act) => connection.transaction(checked(act)) }
  // Servers are looked at without keeping other processes from writing.
  const looks: Tables = { ...own, transaction: (act) => connection.moment(checked(act)) }
  const isLater = (error: unknown) => isBusy(error) || isInTransaction(error)
  return (verb, ask) => {
    const act = () => endNear(tables, () => works.begin(verb, ask))
    const ended = act()
    if (ended.waits === undefined && (journal === undefined || ended.changes === undefined)) return told(ended)
    const look = (waits: Waits, isLate: boolean) => told(endNear(looks, () => works.noted(waits, isLate)))
    const raise = (known: string) => endNear(tables, () => works.raising(known))
    return whenNoted(ended, { act, look, leave: (waits) => connection.run(works.leaving(waits)), isLater, journal, raise })
  }
}

/** Finds a temporary table with one of our names, or a trigger on ours: its effects are lost with the connection. */
const SHADOWS = "SELECT name FROM sqlite_temp_master WHERE tbl_name IN ('meta', 'tags', 'namespaces', 'workers', 'servers')"

/** Retries with pauses, in which the event loop goes on. */
async function later<T>(attempt: () => T, signal: AbortSignal | undefined): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS))
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (Date.now() >= end || signal?.aborted === true) {
        throw new LeafidError('OVERLOADED', 'other processes kept writing to the file: the store has more to do than it can; ask again', { cause: error })
      }
    }
  }
}

/** SQLite's application id: `leaf` as a number. */
const APPLICATION = 0x6c656166
/** How long opening waits for another process's transaction, in ms. */
const OPENING_MS = 2_000

interface File {
  path: string
  connection: Connection
  /** The time of the latest grant, in ms. */
  granted: number
}

/**
 * Opens the store in a file, or creates it if `create` is given. `STORE_UNKNOWN` if there is none, `SCHEMA_MISMATCH`
 * for a file of another program or version, `STORE_REFUSED` where a grant would not be safe.
 */
function openFile(given: string, create: Declarations | undefined, clocks: Clocks): File {
  const path = real(given)
  checkPlace(path)
  const there = isThere(path)
  if (!there && create === undefined) throw lacks(path, isEmpty(path) ? 'is an empty file' : 'does not exist')
  let connection: Connection | undefined
  try {
    const opened = (connection = new Connection(path))
    opened.script(`PRAGMA busy_timeout = ${OPENING_MS}`)
    const granted = ready(opened, path, create, clocks, () => settle(opened))
    // From now on a locked file is an error at once: waiting in SQLite would block the event loop.
    opened.script('PRAGMA busy_timeout = 0')
    return { path, connection, granted }
  } catch (error) {
    connection?.close()
    // SQLite creates files beside the database.
    if (!isLeafidError(error)) checkWritable(path, dirname(path))
    throw error
  }
}

/** Checks the store in an application's open database. Changes no setting there: names the unsuitable ones. */
function openGiven(database: Database, create: Declarations | undefined, clocks: Clocks, allowUnsafe: boolean): File {
  const connection = new Connection(database)
  const rows = connection.all({ sql: 'PRAGMA database_list', params: [] })
  const given = String(rows.find(({ name }) => name === 'main')?.['file'] ?? '')
  if (given === '') throw new LeafidError('STORE_REFUSED', 'the database is in memory, and what is granted would be forgotten with it: open a file, or use `memoryStore()`')
  const path = real(given)
  isThere(path)
  return { path, connection, granted: ready(connection, path, create, clocks, () => allowUnsafe || look(connection, path)) }
}

/** Checks or creates the store; returns the time of the latest grant. `settles` makes sure that grants are durable. */
function ready(connection: Connection, path: string, create: Declarations | undefined, clocks: Clocks, settles: () => unknown): number {
  const made = isMade(connection, path)
  if (!made && create === undefined) throw lacks(path, 'has no tables')
  settles()
  if (!made) make(connection, create ?? {}, clocks)
  const [row] = connection.all({ sql: 'SELECT coalesce(max(granted_ms), 0) AS granted FROM workers', params: [] })
  const [meta] = connection.all(query(TEXTS.meta))
  const granted = Number(row?.['granted'])
  checkClock(clocks.wall(), granted, Number(meta?.['beat_ms'] ?? 0))
  return granted
}

/** Checks the settings that an application's connection must have. */
function look(connection: Connection, path: string): void {
  const [journal, synchronous] = [connection.pragma('journal_mode'), Number(connection.pragma('synchronous'))]
  const wrong = journal !== 'wal' ? `journal_mode = ${String(journal)}` : synchronous < 2 ? `synchronous = ${['OFF', 'NORMAL'][synchronous]}` : undefined
  if (wrong === undefined) return
  const cure = journal !== 'wal' ? 'journal_mode = WAL' : 'synchronous = FULL'
  const message = `this connection to \`sqlite:${path}\` has ${wrong}, and a crash forgets what was answered last: the same numbers would be granted again; run \`PRAGMA ${cure}\` on it, or pass \`sqlite:${path}\` instead, or, if that loss is to be accepted, \`{ allowUnsafeSettings: true }\``
  throw new LeafidError('STORE_REFUSED', message)
}

function lacks(path: string, what: string): LeafidError {
  return notThere(`sqlite:${path}`, what, '`sqliteStore(path, { create: true })` of leafid/node')
}

/** Whether the file is a store of this version; `false` if it is empty. */
function isMade(connection: Connection, path: string): boolean {
  let told: number[]
  try {
    // In one transaction: another process may be creating the tables.
    told = connection.moment(() => [
      ...['application_id', 'user_version'].map((name) => Number(connection.pragma(name))),
      Number(connection.all({ sql: 'SELECT count(*) AS tables FROM sqlite_schema', params: [] })[0]?.['tables']),
    ])
  } catch (cause) {
    if (!/not a database|malformed/.test((cause as Error).message)) throw cause
    throw new LeafidError('SCHEMA_MISMATCH', `${quoted(path)} is not a leafid store: ${(cause as Error).message}`, { cause })
  }
  const [application, version, tables] = told
  if (application === 0 && version === 0 && tables === 0) return false
  if (application !== APPLICATION) throw new LeafidError('SCHEMA_MISMATCH', `${quoted(path)} is not a leafid store: another program made it`)
  if (version === VERSION) return true
  throw otherVersion(quoted(path), Number(version), VERSION)
}

/** Sets what durability needs, and checks that SQLite accepted it. */
function settle(connection: Connection): void {
  const journal = connection.pragma('journal_mode = WAL')
  connection.script('PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1')
  const synchronous = Number(connection.pragma('synchronous'))
  if (journal === 'wal' && synchronous === 2) return
  const is = `journal_mode is \`${String(journal)}\` instead of \`wal\`, synchronous is ${synchronous} instead of 2`
  throw new LeafidError('STORE_REFUSED', `the settings that make a grant durable do not work here: ${is}; move the store to a local disk`)
}

/** Creates the tables, the store's id and the namespace `default`, unless another process was faster. */
function make(connection: Connection, declared: Declarations, clocks: Clocks): void {
  connection.transaction(() => {
    if (Number(connection.pragma('user_version')) !== 0) return
    connection.script(TEXTS.schema.sql)
    const made = 'INSERT INTO meta (one, store, created_ms) VALUES (1, ?, ?)'
    connection.run({ sql: made, params: [bytes(randomToken()), clocks.wall()] })
    for (const step of makingDefault(SQLITE, declared)) connection.run(step)
    connection.script(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${VERSION}`)
  })
}
