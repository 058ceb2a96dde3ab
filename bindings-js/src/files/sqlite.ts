import { commanded, unknownIn } from '../sql/declared.js'
import { runNear } from '../sql/run.js'
import { Works, type Setting, type Work } from '../sql/work.js'
import { VERSION } from '../sql/texts.js'
import { shadowed } from '../sql/unfit.js'
import { checkCreate, type Declarations } from '../stores/declared.js'
import { storeOf, type Store } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { shown } from '../values/shown.js'
import { MACHINE, StoreClock, type Clocks } from './clock.js'
import { isBusy, isInTransaction, type Database } from './driver.js'
import { openFile, openGiven, type File } from './open.js'
import { Opened } from './place.js'

/** How long it is tried again while other processes write: less than the 3 s after which a holder counts its ask as lost. */
const PATIENCE_MS = 2_500
/** The longest pause before that. */
const LONGEST_MS = 8

/** What may be made in a file. */
export interface SqliteStoreOptions {
  /**
   * Makes the store where there is none: `true`, or the tags and namespaces that there are to be as well. What is missing is made;
   * what is there otherwise than it is declared is `TAG_EXISTS` or `LAYOUT_MISMATCH` when it is used first.
   */
  create?: boolean | Declarations
}

interface Held {
  works: Works
  run<T>(begin: (works: Works) => Work<T>): T
}

/**
 * The store in an SQLite file, with the server's tables: any number of processes, and a server, may use it at the same time. It
 * is opened with the first ask. `REQUEST_INVALID` for bad arguments, and the codes of what cannot be declared; when asked, `NOT_ENABLED` if Node has no SQLite, `STORE_UNKNOWN` if there is no store.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}, clocks: Clocks = MACHINE): Required<Store> {
  if (typeof path !== 'string' || path === '') throw new LeafidError('REQUEST_INVALID', `the path of an SQLite file must be a text, got ${shown(path)}`)
  checkOptions(options, { names: ['create'] })
  const create = checkCreate(options.create)
  return store(() => hold(openFile(path, create, clocks), create, clocks))
}

/** Whether it is a database of `better-sqlite3` or `node:sqlite`. */
export function isDatabase(connection: unknown): connection is Database {
  const { prepare, exec } = (connection ?? {}) as Record<string, unknown>
  return typeof prepare === 'function' && typeof exec === 'function'
}

/** The store in the file that a database of the application's has open. It waits for other processes as long as that is set to. */
export function sqliteOver(database: Database, options: SqliteStoreOptions & { allowUnsafeSettings?: boolean }): Required<Store> {
  const create = checkCreate(options.create)
  return store(() => {
    const held = outside(() => hold(openGiven(database, create, MACHINE, options.allowUnsafeSettings === true), create, MACHINE))
    return { ...held, run: (begin) => outside(() => held.run(begin)) }
  })
}

/** Does something that begins a transaction, and says so where one of the application's is open. */
function outside<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw isInTransaction(error) ? inTransaction() : error
  }
}

function inTransaction(): LeafidError {
  const message = 'the SQLite connection is inside a transaction, and what a store grants there would be undone with it: pass a connection of its own, or a path'
  return new LeafidError('STORE_REFUSED', message)
}

function store(open: () => Held): Required<Store> {
  let held: Held | undefined
  return storeOf((verb, ask, signal) => {
    const attempt = () => (held ??= open()).run((works) => works.begin(verb, ask))
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      return later(attempt, signal)
    }
  })
}

const named = new Map<string, Required<Store>>()

/** The store that an address such as `sqlite:ids.db` names: the same for the same address. */
export function sqliteAt(address: string): Required<Store> {
  const path = address.slice('sqlite:'.length)
  const store = named.get(path) ?? sqliteStore(path)
  named.set(path, store)
  return store
}

function hold({ path, connection, granted }: File, create: Declarations | undefined, clocks: Clocks): Held {
  const opened = new Opened(path)
  const time = new StoreClock(granted, clocks)
  const longest = () => Number(connection.all({ sql: 'SELECT coalesce(max(max_window_ms), 0) AS ms FROM namespaces', params: [] })[0]?.['ms'])
  const works = new Works({ ...setting(path, create), clock: () => time.read(longest) })
  const run = <T>(begin: (works: Works) => Work<T>): T =>
    runNear(
      {
        transaction: (act) =>
          connection.transaction(() => {
            opened.check()
            refuseShadows(connection)
            return act()
          }),
        all: (query) => connection.all(query),
        run: (query) => connection.run(query),
      },
      () => begin(works),
    )
  return { works, run }
}

/** A temporary table, or a trigger on ours, of the connection: what it says would be forgotten with it. */
const SHADOWS = "SELECT name FROM sqlite_temp_master WHERE tbl_name IN ('meta', 'tags', 'namespaces', 'workers')"

function refuseShadows(connection: File['connection']): void {
  const [found] = connection.all({ sql: SHADOWS, params: [] })
  if (found !== undefined) throw shadowed('SQLite', String(found['name']))
}

function setting(path: string, create: Declarations | undefined): Omit<Setting, 'clock'> {
  const place = `sqlite:${path}`
  return {
    ...commanded(create, place),
    hasVersion: false,
    unknown: unknownIn(place),
    otherVersion: (version) => new LeafidError('SCHEMA_MISMATCH', `the tables have version ${version}, this program knows ${VERSION}`),
  }
}

/** Tries again, with pauses in which the event loop goes on. */
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
