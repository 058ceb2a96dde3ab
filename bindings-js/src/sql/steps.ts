import type { TagRow, WorkerRow } from '../stores/registry.js'
import type { Dialect, Step } from './dialect.js'
import { before, namespaceParams, tagParams, workerParams, type Namespace, type Params } from './rows.js'

const WORKER_COLUMNS = ['owner', 'sticky', 'key', 'held_from', 'reserved_until', 'granted_ms'] as const

/** Makes a tag, or changes it from `was`. */
export function putTag(dialect: Dialect, tag: string, after: TagRow, was?: TagRow): Step[] {
  const row = { tag, ...tagParams(after), ...(was === undefined ? {} : before(tagParams(was))) }
  if (dialect.putTag !== undefined) return dialect.putTag(row, after, was)
  return [{ ...dialect.query(was === undefined ? 'tag_add' : 'tag_change', row), must: 'write' }]
}

/** Makes a namespace, or changes it from `was`; with its range the rows of its numbers. */
export function putNamespace(dialect: Dialect, namespace: string, after: Namespace, was?: Namespace): Step[] {
  const row = { namespace, ...namespaceParams(after) }
  const was_ = was === undefined ? {} : before(namespaceParams(was))
  const text = was === undefined ? 'namespace_add' : 'namespace_change'
  const steps: Step[] = [{ ...dialect.query(text, { ...row, ...was_ }), must: 'write' }]
  const { start, end } = after.row.workers
  if (was === undefined || was.row.workers.start !== start || was.row.workers.end !== end) {
    steps.push({ ...dialect.query('range', { namespace, start, end }), must: 'nothing' })
  }
  return steps
}

/** Finds a namespace as it was, whatever was handed out meanwhile. */
export function sameNamespace(dialect: Dialect, namespace: string, was: Namespace): Step {
  return { ...dialect.query('namespace_same', { namespace, ...before(namespaceParams(was)) }), must: 'find' }
}

/** Makes the row of a number, or changes it from `was`: only the columns that differ, for the others stand in indexes. */
export function putWorker(dialect: Dialect, namespace: string, after: WorkerRow, was?: WorkerRow): Step {
  const row: Params = { namespace, ...workerParams(after) }
  if (was === undefined) return { ...dialect.query('worker_add', row), must: 'write' }
  const had = workerParams(was)
  const changed = WORKER_COLUMNS.filter((name) => String(row[name]) !== String(had[name]))
  return { ...dialect.changed(changed.length === 0 ? ['worker'] : changed, { ...row, ...before(had) }), must: 'write' }
}

/** Whether a number's row stays as it is. */
export function isSameWorker(one: WorkerRow, other: WorkerRow): boolean {
  const [a, b] = [workerParams(one), workerParams(other)]
  return Object.keys(a).every((name) => String(a[name]) === String(b[name]))
}

/** Notes that the store was written, where that is due; ends a transaction that wrote something. */
export function beat({ query, beatEachMs }: Dialect, now: number, beatMs: number): Step[] {
  return Math.abs(now - beatMs) < beatEachMs ? [] : [{ ...query('beat', { now }), must: 'nothing' }]
}
