import type { TagRow, WorkerRow } from '../stores/registry.js'
import { before, namespaceParams, tagParams, workerParams, type Namespace, type Params } from './rows.js'
import { query, type Query } from './text.js'
import { TEXTS } from './texts.js'

/** A part of a transaction: what has to write a row, or to find one, or the transaction conflicts; or what writes what there is. */
export type Step = Query & { must: 'write' | 'find' | 'nothing' }

const WORKER_COLUMNS = ['owner', 'sticky', 'key', 'held_from', 'reserved_until', 'granted_ms'] as const

/** Makes a tag, or changes it from `was`. */
export function putTag(tag: string, after: TagRow, was?: TagRow): Step {
  const row = { tag, ...tagParams(after) }
  if (was === undefined) return { ...query(TEXTS.tag_add, row), must: 'write' }
  return { ...query(TEXTS.tag_change, { ...row, ...before(tagParams(was)) }), must: 'write' }
}

/** Makes a namespace, or changes it from `was`; with its range the rows of its numbers. */
export function putNamespace(namespace: string, after: Namespace, was?: Namespace): Step[] {
  const row = { namespace, ...namespaceParams(after) }
  const was_ = was === undefined ? {} : before(namespaceParams(was))
  const text = was === undefined ? TEXTS.namespace_add : TEXTS.namespace_change
  const steps: Step[] = [{ ...query(text, { ...row, ...was_ }), must: 'write' }]
  const { start, end } = after.row.workers
  if (was === undefined || was.row.workers.start !== start || was.row.workers.end !== end) {
    steps.push({ ...query(TEXTS.range, { namespace, start, end }), must: 'nothing' })
  }
  return steps
}

/** Finds a namespace as it was, whatever was handed out meanwhile. */
export function sameNamespace(namespace: string, was: Namespace): Step {
  return { ...query(TEXTS.namespace_same, { namespace, ...before(namespaceParams(was)) }), must: 'find' }
}

/** Makes the row of a number, or changes it from `was`: only the columns that differ, for the others stand in indexes. */
export function putWorker(namespace: string, after: WorkerRow, was?: WorkerRow): Step {
  const row: Params = { namespace, ...workerParams(after) }
  if (was === undefined) return { ...query(TEXTS.worker_add, row), must: 'write' }
  const had = workerParams(was)
  const changed = WORKER_COLUMNS.filter((name) => String(row[name]) !== String(had[name]))
  const set = (changed.length === 0 ? (['worker'] as const) : changed).map((name) => `${name} = :${name}`)
  return { ...query(`UPDATE workers SET ${set.join(', ')} ${TEXTS.worker_was}`, { ...row, ...before(had) }), must: 'write' }
}

/** Whether a number's row stays as it is. */
export function isSameWorker(one: WorkerRow, other: WorkerRow): boolean {
  const [a, b] = [workerParams(one), workerParams(other)]
  return Object.keys(a).every((name) => String(a[name]) === String(b[name]))
}

/** Ends a transaction that wrote something. */
export function beat(now: number): Step {
  return { ...query(TEXTS.beat, { now } satisfies Params), must: 'nothing' }
}
