import { theEngine } from '../engines/engine.js'
import { LeafidError, accepted, shown } from '../values/errors.js'
import type { LayoutFields, LayoutName } from '../values/layout.js'
import type { AcquireAsk, Big, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant } from './store.js'

/** The row of a tag. */
export interface TagRow {
  /** The next number that was never granted. */
  max_id: Big
  step: number
  max_step: number
  /** A tombstone, which keeps the position. */
  deleted?: boolean
}

/** The row of a namespace, as far as leases need it. */
export interface NamespaceRow {
  layout: LayoutFields | LayoutName
  max_window_ms: number
  /** The worker numbers that may be handed out. */
  workers?: { start: number; end: number }
  /** No grant begins below this tick. */
  floor?: Big
}

/** The row of a worker number; one without a row has the number alone. */
export interface WorkerRow {
  worker: number
  /** The label of who acquired it last; empty for nobody. */
  owner?: string
  sticky?: boolean
  /** The request id of the acquire whose lease this is. */
  key?: string
  held_from?: Big
  /** Nothing at or above it was ever granted on this number. */
  reserved_until?: Big
  granted_ms?: number
}

/**
 * Leases the next numbers of a tag. Write the new row on condition that nobody else wrote it, then
 * answer with the grant.
 *
 * Throws `STORE_CHANGED`, `TAG_UNKNOWN`, `STEP_INVALID`, `STORE_WENT_BACK`, `TAG_SPENT`.
 */
export function lease_segment(store: string, row: TagRow, ask: SegmentAsk, nowMs: number): { row: TagRow; grant: SegmentGrant } {
  return decided(theEngine().leaseSegment(store, plain(row, 'row'), plain(ask, 'ask'), nowMs))
}

/** The rows that an acquire is decided on, as far as there are any. */
export interface Candidates {
  /** The row whose key is this request. */
  mine?: WorkerRow | undefined
  /** The row that this owner keeps, if the ask is sticky. */
  own?: WorkerRow | undefined
  /** Another one that it keeps: there may be two after two servers have decided at once. */
  spare?: WorkerRow | undefined
  /** A number that is free, the one that rested longest where that is cheap to find; else the one that will be free first. */
  rested?: WorkerRow | undefined
}

/** What an acquire decided. */
export interface Acquired {
  /** The row of the number that was given. */
  row: WorkerRow
  /** Another row to write in the same step: a number that this owner kept and keeps no longer. */
  freed?: WorkerRow
  grant: WindowGrant
}

/**
 * Gives a worker number and a first window on it, of at most a minute.
 *
 * Throws `STORE_CHANGED`, `LAYOUT_MISMATCH`, `REQUEST_INVALID`, `TIME_OVERFLOW`, and
 * `WORKERS_EXHAUSTED` until the first number is free.
 */
export function acquire(store: string, namespace: NamespaceRow, rows: Candidates, ask: AcquireAsk, nowMs: number): Acquired {
  return decided(theEngine().acquire(store, plain(namespace, 'namespace'), plain(rows, 'rows'), plain(ask, 'ask'), nowMs), nowMs)
}

/**
 * Moves the end of a window forward. `row` is that of the number that the ask names, `{ worker }` where it has none.
 *
 * Throws `STORE_CHANGED`, `STORE_WENT_BACK`, `LEASE_LOST`, `TIME_OVERFLOW`, `REQUEST_INVALID`.
 */
export function renew(
  store: string,
  namespace: NamespaceRow,
  row: WorkerRow,
  ask: RenewAsk,
  nowMs: number,
): { row: WorkerRow; grant: WindowGrant } {
  return decided(theEngine().renew(store, plain(namespace, 'namespace'), plain(row, 'row'), plain(ask, 'ask'), nowMs))
}

/** Takes back what of a window was not used; `row` as for `renew`. Throws `STORE_CHANGED`, `LEASE_LOST`, `RANGE_INVALID`, `REQUEST_INVALID`. */
export function release(store: string, row: WorkerRow, ask: ReleaseAsk): { row: WorkerRow } {
  return decided(theEngine().release(store, plain(row, 'row'), plain(ask, 'ask')))
}

/**
 * The row of a new tag, or of one made anew over its tombstone `before`: numbers begin at `from`, 1
 * if not said. Throws `TAG_INVALID`, `TAG_EXISTS`, `STEP_INVALID`, `RANGE_INVALID`.
 */
export function tag_row(wanted: { tag?: string; from?: Big; step?: number; max_step?: number } = {}, before?: TagRow): TagRow {
  return decided<{ row: TagRow }>(theEngine().tagRow(before, plain(wanted, 'tag'))).row
}

/**
 * The row of a new namespace: all worker numbers of its layout and windows of up to ten minutes, unless said.
 *
 * Throws `REQUEST_INVALID` without a layout, `NAMESPACE_INVALID`, `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`.
 */
export function namespace_row(wanted: {
  namespace?: string
  layout: LayoutFields | LayoutName
  workers?: { start: number; end: number }
  max_window_ms?: number
}): NamespaceRow {
  return decided<{ row: NamespaceRow }>(theEngine().namespaceRow(plain(wanted, 'namespace'))).row
}

/** What an engine can read: it looks at the fields of objects. */
function plain<T extends object>(value: T, what: string): T {
  if (typeof value === 'object' && value !== null) return value
  throw new LeafidError('REQUEST_INVALID', `the ${what} ${shown(value)} is no object: pass one with its fields`)
}

function decided<T>(answer: object, nowMs?: number): T {
  return accepted('the store cannot give this', answer, nowMs) as T
}
