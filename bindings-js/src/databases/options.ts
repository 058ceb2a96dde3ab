import type { DeclaredNamespace, DeclaredTag } from '../sql/declared.js'
import { LeafidError } from '../values/errors.js'
import { checkNames, checkObject, checkOptions } from '../values/options.js'
import { shown } from '../values/shown.js'

/** What may be made in a database, and how it is used. */
export interface SqlStoreOptions {
  /** Makes the store where there is none: `true`, or the tags and namespaces to make as well where they are not there. What is there stays as it is. */
  create?: boolean | { tags?: Readonly<Record<string, DeclaredTag>>; namespaces?: Readonly<Record<string, DeclaredNamespace>> }
  /** MySQL: the tags are the rows of Leaf's own table, as with `?tags=leaf_alloc` of an address. */
  tags?: 'leaf_alloc'
  /** Settings that can lose what was answered are let pass: for databases of tests. */
  allowUnsafeSettings?: boolean
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

/** The error of Leaf's table where there is none. */
export function leafElsewhere(): LeafidError {
  return new LeafidError('REQUEST_INVALID', "`tags: 'leaf_alloc'` is Leaf's table, which is in MySQL or MariaDB only")
}
