import type { Store } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { shownAddress } from '../values/shown.js'
import { isDatabase, sqliteOver, sqliteStore } from '../files/sqlite.js'
import { databaseAt } from './address.js'
import { checkSqlOptions, leafElsewhere, type SqlStoreOptions } from './options.js'
import { linked, over } from './over.js'

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
