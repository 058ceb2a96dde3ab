import { theEngine } from './engine.js'
import { accepted } from './errors.js'
import type { LayoutFields, LayoutName } from './layout.js'
import type { AcquireAsk, Big, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant } from './stores/store.js'

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
  return decided(theEngine().leaseSegment(store, row, ask, nowMs))
}

/**
 * Gives a worker number and a first window on it. Look up three rows: `mine`, whose key is this
 * request; `own`, which this owner keeps (if the ask is sticky); `rested`, a number that is free, or
 * else the one that will be first.
 *
 * Throws `STORE_CHANGED`, `LAYOUT_MISMATCH`, `REQUEST_INVALID`, `TIME_OVERFLOW`, `WORKERS_EXHAUSTED`.
 */
export function acquire(
  store: string,
  namespace: NamespaceRow,
  rows: { mine?: WorkerRow | undefined; own?: WorkerRow | undefined; rested?: WorkerRow | undefined },
  ask: AcquireAsk,
  nowMs: number,
): { row: WorkerRow; grant: WindowGrant } {
  return decided(theEngine().acquire(store, namespace, rows, ask, nowMs))
}

/** Moves the end of a window forward. Throws `STORE_CHANGED`, `STORE_WENT_BACK`, `LEASE_LOST`, `TIME_OVERFLOW`. */
export function renew(
  store: string,
  namespace: NamespaceRow,
  row: WorkerRow,
  ask: RenewAsk,
  nowMs: number,
): { row: WorkerRow; grant: WindowGrant } {
  return decided(theEngine().renew(store, namespace, row, ask, nowMs))
}

/** Takes back what of a window was not used. Throws `STORE_CHANGED`, `LEASE_LOST`, `RANGE_INVALID`. */
export function release(store: string, row: WorkerRow, ask: ReleaseAsk): { row: WorkerRow } {
  return decided(theEngine().release(store, row, ask))
}

/**
 * The row of a new tag, or of one made anew over its tombstone `before`: numbers begin at `from`, 1
 * if not said. Throws `TAG_EXISTS`, `STEP_INVALID`, `RANGE_INVALID`.
 */
export function tag_row(wanted: { from?: Big; step?: number; max_step?: number } = {}, before?: TagRow): TagRow {
  return decided<{ row: TagRow }>(theEngine().tagRow(before, wanted)).row
}

/** The row of a new namespace, in the layout `leaf` if none is said. Throws `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`. */
export function namespace_row(wanted: Partial<NamespaceRow> = {}): NamespaceRow {
  return decided<{ row: NamespaceRow }>(theEngine().namespaceRow(wanted)).row
}

function decided<T>(answer: object): T {
  return accepted('the store cannot give this', answer) as T
}
