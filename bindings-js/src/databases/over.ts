import { runFar } from '../sql/run.js'
import type { Works, Work } from '../sql/work.js'
import { checkCreate } from '../stores/declared.js'
import type { Store } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'
import type { Link } from './link.js'
import { mysql } from './mysql.js'
import type { MysqlConnection } from './mysql-connection.js'
import { opened } from './open.js'
import { leafElsewhere, type SqlStoreOptions } from './options.js'
import { postgres, type PgQueryable } from './postgres.js'

/** The link over a connection or a pool; `place` is where it goes, where an address has said it. */
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

/** The store over what connects to it with the first ask. */
export function over(connect: () => Link, { create, allowUnsafeSettings = false }: SqlStoreOptions): Required<Store> {
  const declared = checkCreate(create)
  const lines = new Map<string, Promise<unknown>>()
  let link: Link | undefined
  let opening: Promise<Works> | undefined

  async function decided<T>(begin: (works: Works) => Work<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal?.aborted === true) throw new LeafidError('OVERLOADED', 'those who asked before took too long: the store has more to do than it can; ask again')
    const tables = (link ??= connect())
    // What was not opened is tried again with the next ask.
    const works = await (opening ??= opened(tables, declared, allowUnsafeSettings).catch((error: unknown) => {
      opening = undefined
      throw error
    }))
    return runFar(tables, () => begin(works), signal)
  }

  /** Those who ask for one line go one after another: at once all but one would find it changed, and decide again. */
  function run<T>(line: string, begin: (works: Works) => Work<T>, signal?: AbortSignal): Promise<T> {
    const next = (lines.get(line) ?? Promise.resolve()).then(() => decided(begin, signal))
    const over = next.then(
      () => {},
      () => {},
    )
    lines.set(line, over)
    void over.then(() => lines.get(line) === over && lines.delete(line))
    return next
  }

  return {
    lease_segment: (ask, signal) => run(`tag ${ask.tag}`, (works) => works.lease_segment(ask), signal),
    acquire: (ask, signal) => run(`namespace ${ask.namespace}`, (works) => works.acquire(ask), signal),
    renew: (ask, signal) => run(`namespace ${ask.namespace}`, (works) => works.renew(ask), signal),
    release: (ask, signal) => run(`namespace ${ask.namespace}`, (works) => works.release(ask), signal),
  }
}
