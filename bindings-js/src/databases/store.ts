import type { DeclaredNamespace, DeclaredTag } from '../sql/declared.js'
import type { Store } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { checkNames, checkObject, checkOptions } from '../values/options.js'
import { shown, shownAddress } from '../values/shown.js'
import { isDatabase, sqliteOver, sqliteStore } from '../files/sqlite.js'
import { databaseAt } from './address.js'
import { leafElsewhere, linked, over } from './over.js'

/** What may be made in a database, and how it is used. */
export interface SqlStoreOptions {
  /** Makes the store where there is none: `true`, or the tags and namespaces to make as well where they are not there. What is there stays as it is. */
  create?: boolean | { tags?: Readonly<Record<string, DeclaredTag>>; namespaces?: Readonly<Record<string, DeclaredNamespace>> }
  /** MySQL: the tags are the rows of Leaf's own table, as with `?tags=leaf_alloc` of an address. */
  tags?: 'leaf_alloc'
  /** Settings that can lose what was answered are let pass: for databases of tests. */
  allowUnsafeSettings?: boolean
}

/**
 * A connection or a pool that an application has: of `pg`, of `mysql2` (also with promises), of `better-sqlite3` or
 * `node:sqlite`. Or an address, such as `postgres://…`, to which the store has connections of its own.
 */
export type SqlConnection = string | { query(...words: never[]): unknown } | { prepare(text: string): unknown; exec(text: string): unknown }

/**
 * A store over a connection that the application has, with the server's tables and statements: any number of processes, and
 * servers, may use the database at the same time. Better a pool than a connection, and no connection that transactions run
 * on. It is looked at with the first ask. `REQUEST_INVALID` for anything else; when asked, `STORE_UNAVAILABLE` if there is no
 * store, `STORE_REFUSED` where a setting would lose what was answered.
 */
export function sqlStore(connection: SqlConnection, options: SqlStoreOptions = {}): Required<Store> {
  checkSqlOptions(options)
  const { tags, create = false } = options
  const isFile = typeof connection === 'string' && connection.startsWith('sqlite:')
  if (isFile || isDatabase(connection)) {
    if (tags !== undefined) throw leafElsewhere()
    return isFile ? sqliteStore(connection.slice('sqlite:'.length), { create }) : sqliteOver(connection as never, options)
  }
  if (typeof connection === 'string') {
    if (/^(postgres|postgresql|mysql):/.test(connection)) return databaseAt(connection, options)
    throw new LeafidError('REQUEST_INVALID', `the address of an SQL store must be like \`postgres://…\`, \`mysql://…\` or \`sqlite:PATH\`, got ${shownAddress(connection)}`)
  }
  const link = linked(connection, tags === 'leaf_alloc')
  return over(() => link, options)
}

/** Refuses options that are not known. */
export function checkSqlOptions(options: SqlStoreOptions): void {
  checkOptions(options, { names: ['create', 'tags', 'allowUnsafeSettings'] })
  const { create, tags } = options
  if (tags !== undefined && tags !== 'leaf_alloc') throw new LeafidError('REQUEST_INVALID', `\`tags\` must be 'leaf_alloc', Leaf's table, got ${shown(tags)}`)
  if (typeof create === 'object') {
    checkObject(create, { names: [] })
    checkNames(create, ['tags', 'namespaces'], 'field')
  }
}
