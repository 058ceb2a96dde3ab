import type { SqliteStoreOptions } from '../files/sqlite.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { shown } from '../values/shown.js'

/** What may be made in a database, as in a file, and how it is used. */
export interface SqlStoreOptions extends SqliteStoreOptions {
  /** MySQL: the tags are the rows of Leaf's own table, as with `?tags=leaf_alloc` of an address. */
  tags?: 'leaf_alloc'
  /** Settings that can lose what was answered are let pass: for databases of tests. */
  allowUnsafeSettings?: boolean
}

/** Refuses options that are not known. */
export function checkSqlOptions(options: SqlStoreOptions): void {
  checkOptions(options, { names: ['create', 'tags', 'allowUnsafeSettings'] })
  const { tags } = options
  if (tags !== undefined && tags !== 'leaf_alloc') throw new LeafidError('REQUEST_INVALID', `\`tags\` must be 'leaf_alloc', Leaf's table, got ${shown(tags)}`)
}

/** The error of Leaf's table where there is none. */
export function leafElsewhere(): LeafidError {
  return new LeafidError('REQUEST_INVALID', "`tags: 'leaf_alloc'` is Leaf's table, which is in MySQL or MariaDB only")
}
