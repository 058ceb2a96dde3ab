import { dirname, resolve } from 'node:path'
import { randomToken } from '../hosts/host.js'
import { defaultNamespace } from '../sql/declared.js'
import { SQLITE } from '../sql/dialect.js'
import { putNamespace } from '../sql/steps.js'
import { SCHEMA, TEXTS, VERSION } from '../sql/texts.js'
import { query } from '../sql/text.js'
import { bytes } from '../sql/rows.js'
import type { Declarations } from '../stores/declared.js'
import { LeafidError, isLeafidError } from '../values/errors.js'
import { quoted } from '../values/shown.js'
import { checkClock, type Clocks } from './clock.js'
import { Connection, type Database } from './driver.js'
import { checkPlace, checkWritable, isEmpty, isThere, real } from './place.js'

/** Says whose file it is: `leaf` as a number. */
const APPLICATION = 0x6c656166
/** How long opening waits for another process's transaction, in ms. */
const PATIENCE_MS = 2_000

/** A file that is ready for use. */
export interface File {
  path: string
  connection: Connection
  /** The latest time of a grant, in ms. */
  granted: number
}

/**
 * Opens the store in a file, or makes one where `create` says so. `STORE_UNKNOWN` if there is none, `SCHEMA_MISMATCH` if it is
 * another program's or of another version, `STORE_REFUSED` where a grant would not be safe.
 */
export function openFile(given: string, create: Declarations | undefined, clocks: Clocks): File {
  const path = real(resolve(given))
  checkPlace(path)
  const there = isThere(path)
  if (!there && create === undefined) throw notThere(path, isEmpty(path) ? 'is an empty file' : 'does not exist')
  try {
    return opened(path, create, clocks)
  } catch (error) {
    // SQLite makes files beside it.
    if (!isLeafidError(error)) checkWritable(path, dirname(path))
    throw error
  }
}

function opened(path: string, create: Declarations | undefined, clocks: Clocks): File {
  const connection = new Connection(path)
  try {
    connection.script(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
    const granted = ready(connection, path, create, clocks, () => settle(connection))
    // From now on nobody waits for others within a call: the event loop would.
    connection.script('PRAGMA busy_timeout = 0')
    return { path, connection, granted }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Looks at the store in a file that an application has open. Nothing of its connection is set: what does not fit is refused by name. */
export function openGiven(database: Database, create: Declarations | undefined, clocks: Clocks, allowUnsafe: boolean): File {
  const connection = new Connection(database)
  const rows = connection.all({ sql: 'PRAGMA database_list', params: [] })
  const given = String(rows.find(({ name }) => name === 'main')?.['file'] ?? '')
  if (given === '') throw new LeafidError('STORE_REFUSED', 'the database is in memory, and what is granted would be forgotten with it: open a file, or use `memoryStore()`')
  const path = real(given)
  isThere(path)
  return { path, connection, granted: ready(connection, path, create, clocks, () => allowUnsafe || look(connection, path)) }
}

/** Looks at, or makes, what is in a file; gives the latest time of a grant. `settles` sees to it that a grant is durable. */
function ready(connection: Connection, path: string, create: Declarations | undefined, clocks: Clocks, settles: () => unknown): number {
  const made = isMade(connection, path)
  if (!made && create === undefined) throw notThere(path, 'has no tables')
  settles()
  if (!made) make(connection, create ?? {}, clocks)
  const [row] = connection.all({ sql: 'SELECT coalesce(max(granted_ms), 0) AS granted FROM workers', params: [] })
  const [meta] = connection.all(query(TEXTS.meta))
  const granted = Number(row?.['granted'])
  checkClock(clocks.wall(), granted, Number(meta?.['beat_ms'] ?? 0))
  return granted
}

/** What an application's connection has to be set to. */
function look(connection: Connection, path: string): void {
  const [journal, synchronous] = [connection.pragma('journal_mode'), Number(connection.pragma('synchronous'))]
  const wrong = journal !== 'wal' ? `journal_mode = ${String(journal)}` : synchronous < 2 ? `synchronous = ${['OFF', 'NORMAL'][synchronous]}` : undefined
  if (wrong === undefined) return
  const cure = journal !== 'wal' ? 'journal_mode = WAL' : 'synchronous = FULL'
  const message = `this connection to \`sqlite:${path}\` has ${wrong}, and a crash forgets what was answered last: the same numbers would be granted again; run \`PRAGMA ${cure}\` on it, or pass \`sqlite:${path}\` instead, or, if that loss is to be accepted, \`{ allowUnsafeSettings: true }\``
  throw new LeafidError('STORE_REFUSED', message)
}

function notThere(path: string, what: string): LeafidError {
  const place = `sqlite:${path}`
  const message = `${quoted(place)} ${what}; to create a new store there: leafid init --store ${place}, or \`sqliteStore(path, { create: true })\` of leafid/node; if there was one and it is lost, use instead: leafid init --replaces-lost --store ${place}, as a new store would hand out again what is in use`
  return new LeafidError('STORE_UNKNOWN', message)
}

/** Whether it is a store of ours, and of this version; `false` if nobody has made anything in it. */
function isMade(connection: Connection, path: string): boolean {
  let told: number[]
  try {
    // As of one moment: another process may be about to make the tables.
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
  const way = version! < VERSION ? `stop every server that serves it, then upgrade them: leafid migrate --store sqlite:${path}` : 'use the program that wrote it'
  throw new LeafidError('SCHEMA_MISMATCH', `${quoted(path)} has tables of version ${version}, this program knows ${VERSION}; ${way}`)
}

/** Sets what durability needs, and looks whether it was taken. */
function settle(connection: Connection): void {
  const journal = connection.pragma('journal_mode = WAL')
  connection.script('PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1')
  const synchronous = Number(connection.pragma('synchronous'))
  if (journal === 'wal' && synchronous === 2) return
  const is = `journal_mode is \`${String(journal)}\` instead of \`wal\`, synchronous is ${synchronous} instead of 2`
  throw new LeafidError('STORE_REFUSED', `the settings that make a grant durable do not work here: ${is}; move the store to a local disk`)
}

/** The tables, the store's id and the namespace `default`, unless another process was faster. */
function make(connection: Connection, declared: Declarations, clocks: Clocks): void {
  connection.transaction(() => {
    if (Number(connection.pragma('user_version')) !== 0) return
    connection.script(SCHEMA)
    const made = 'INSERT INTO meta (one, store, created_ms) VALUES (1, ?, ?)'
    connection.run({ sql: made, params: [bytes(randomToken()), clocks.wall()] })
    for (const step of putNamespace(SQLITE, 'default', defaultNamespace(declared))) connection.run(step)
    connection.script(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${VERSION}`)
  })
}
