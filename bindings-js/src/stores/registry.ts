import { LeafidError } from '../values/errors.js'
import type { Refused } from '../engines/engine.js'
import { theRegistry } from '../engines/registry.js'
import { NAMESPACE_FIELDS, TAG_FIELDS, type Given } from '../values/fields.js'
import { checkNames } from '../values/options.js'
import { accepted, called, refusalError, subject, type Circumstances, type Subject } from '../values/refusals.js'
import { shown } from '../values/shown.js'
import type { LayoutFields, LayoutName } from '../values/layout.js'
import { checkAsk, type AcquireAsk, type Big, type ReleaseAsk, type RenewAsk, type SegmentAsk, type SegmentGrant, type Verb, type WindowGrant } from './store.js'

/** The row of a tag. */
export interface TagRow {
  /** The next number that was never granted. */
  maxId: Big
  step: number
  maxStep: number
  /** A tombstone, which keeps the position. */
  deleted?: boolean
  /** The upper end: one more than the last number that may be granted; absent where there is none. */
  until?: Big
  /** The highest end that a holder has shown above the row's own: nothing is leased while it is above `maxId`. */
  claimedUntil?: Big
}

/** The part of a namespace's row that leases need. */
export interface NamespaceRow {
  layout: LayoutFields | LayoutName
  maxWindowMs: number
  /** The worker numbers that may be handed out. */
  workers?: { start: number; end: number }
  /** No grant begins below this tick. */
  floor?: Big
}

/** The row of a worker number; `{ worker }` if there is none yet. */
export interface WorkerRow {
  worker: number
  /** The label of the last holder that acquired it; empty if none did. */
  owner?: string
  sticky?: boolean
  /** The request id of the acquire of the current lease. */
  key?: string
  heldFrom?: Big
  /** Nothing at or above it was ever granted on this number. */
  reservedUntil?: Big
  grantedMs?: number
}

/**
 * A row to write, then the grant to answer or the refusal to throw: `STORE_WENT_BACK` if the caller has what was never
 * granted here. The row then stops the tag, or keeps the worker number unused for a time.
 */
export type Leased<R, G> = { row: R } & ({ grant: G; refused?: undefined } | { grant?: undefined; refused: LeafidError })

/**
 * Leases the next numbers of a tag. Write the new row if it has not changed since it was read; then
 * answer with the grant, or throw `refused`.
 *
 * Throws `STORE_CHANGED`, `TAG_UNKNOWN`, `STEP_INVALID`, `RANGE_INVALID`, `TAG_SPENT`, and `STORE_REFUSED` for a tag of
 * which a holder has shown more than was granted.
 */
export function leaseSegment(store: string, row: TagRow, ask: SegmentAsk, nowMs: number): Leased<TagRow, SegmentGrant> {
  const given = { row: plain(row, 'the row'), ask: plain(ask, 'the ask') }
  const about = subject('tag', ask.tag)
  const meaning = { STORE_REFUSED: () => stopped(about, row), RANGE_INVALID: () => `\`haveUntil\` must be at most 2^63 - 1, got ${shown(ask.haveUntil)}` }
  return leased(about, decided('leaseSegment', about, store, given, nowMs, meaning))
}

/** The message for a stopped tag. The command leaves `N` open: the end is only a holder's claim. */
function stopped(about: Subject, { maxId, claimedUntil }: TagRow): string {
  return (
    `${called(about)} stands at ${maxId}, and a holder has shown numbers of it up to ${claimedUntil}: the store has lost grants, so nothing ` +
    `is leased from the tag that may be in use; find its largest number in use, and move it above: leafid tag advance ${about.name} --to N`
  )
}

function leased<R, G>(about: Subject, decision: { row: R; grant?: G; refused?: Refused }): Leased<R, G> {
  const { row, grant, refused } = decision
  return refused === undefined ? { row, grant: grant as G } : { row, refused: refusalError(about, refused) }
}

/** The rows from which an acquire is decided, as far as they exist. */
export interface Candidates {
  /** The row whose key is this request. */
  mine?: WorkerRow | undefined
  /** The row kept for this owner, if the ask is sticky. */
  own?: WorkerRow | undefined
  /** A second row kept for it: two servers that decide at once may leave two. */
  spare?: WorkerRow | undefined
  /** A free number, best the one that has been free longest; without one, the number that will be free first. */
  rested?: WorkerRow | undefined
}

/** The result of an acquire. */
export interface Acquired {
  /** The row of the granted number. */
  row: WorkerRow
  /** Another row to write in the same transaction: a number no longer kept for this owner. */
  freed?: WorkerRow
  grant: WindowGrant
}

/**
 * Grants a worker number and a first window on it, of at most a minute.
 *
 * Throws `STORE_CHANGED`, `LAYOUT_MISMATCH`, `REQUEST_INVALID`, `TIME_OVERFLOW`, and `WORKERS_EXHAUSTED` until the
 * first number is free.
 */
export function acquire(store: string, namespace: NamespaceRow, rows: Candidates, ask: AcquireAsk, nowMs: number): Acquired {
  const given = { namespace: plain(namespace, 'the namespace'), candidates: plain(rows, 'the rows'), ask: plain(ask, 'the ask') }
  return decided('acquire', subject('namespace', ask.namespace), store, given, nowMs, misfits(namespace))
}

/**
 * Moves the end of a window forward. `row` is the row of the ask's number, `{ worker }` if there is none. Write the new
 * one and answer as for `leaseSegment`.
 *
 * Throws `STORE_CHANGED`, `LEASE_LOST`, `TIME_OVERFLOW`, `REQUEST_INVALID`.
 */
export function renew(store: string, namespace: NamespaceRow, row: WorkerRow, ask: RenewAsk, nowMs: number): Leased<WorkerRow, WindowGrant> {
  const given = { namespace: plain(namespace, 'the namespace'), row: rowOf(row, ask), ask: plain(ask, 'the ask') }
  const about = subject('namespace', ask.namespace)
  return leased(about, decided('renew', about, store, given, nowMs, misfits(namespace)))
}

/**
 * Takes back a window's unused rest; `row` as for `renew`. `STORE_CHANGED`, `LEASE_LOST`, `RANGE_INVALID`,
 * `REQUEST_INVALID`.
 */
export function release(store: string, row: WorkerRow, ask: ReleaseAsk): { row: WorkerRow } {
  const given = { row: rowOf(row, ask), ask: plain(ask, 'the ask') }
  const range = () => `\`unusedFrom\` of the ask must be inside the window of the row, got ${shown(ask.unusedFrom)}`
  return decided('release', subject('namespace', ask.namespace), store, given, 0, { RANGE_INVALID: range })
}

/** The fields of a new tag. */
export interface NewTag {
  tag?: string
  /** Its first number: 1 by default. */
  from?: Big
  step?: number
  maxStep?: number
  /** Its upper end, one more than the last number that may be granted: none by default. */
  until?: Big
}

/**
 * The row of a new tag, or of one that is created again over its tombstone `before`.
 *
 * Throws `REQUEST_INVALID` for other fields, `TAG_INVALID`, `TAG_EXISTS`, `STEP_INVALID`, `RANGE_INVALID`.
 */
export function tagRow(wanted: NewTag = {}, before?: TagRow): TagRow {
  const given = { tag: known(wanted, ['tag', ...TAG_FIELDS]), ...(before === undefined ? {} : { 'row before': plain(before, 'the row before') }) }
  const about = wanted.tag === undefined ? subject('other', 'the new tag') : subject('tag', wanted.tag)
  const { from, step, maxStep, until } = wanted
  const meaning = {
    STEP_INVALID: () => `\`step\` must be 1 to \`maxStep\`, and \`maxStep\` at most 2147483647, got ${shown({ step, maxStep })}`,
    RANGE_INVALID: () =>
      until === undefined
        ? `\`from\` must be 1 to 2^63 - 1, got ${shown(from)}`
        : `\`from\` must be 1 to 2^63 - 1, and \`until\` the first number to 2^63 - 1, got ${shown({ from, until })}`,
  }
  return accepted(about, theRegistry()('tagRow', undefined, [before, wanted]) as { row: TagRow }, { given, meaning }).row
}

/** The fields of a new namespace. */
export interface NewNamespace {
  namespace?: string
  /** A `Layout`, its fields or its name. */
  layout: LayoutFields | LayoutName
  /** All worker numbers of the layout by default. */
  workers?: { start: number; end: number }
  /** Ten minutes by default. */
  maxWindowMs?: number
}

/**
 * The row of a new namespace.
 *
 * Throws `REQUEST_INVALID` without a layout and for other fields, `NAMESPACE_INVALID`, `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`.
 */
export function namespaceRow(wanted: NewNamespace): NamespaceRow {
  const given = { namespace: known(wanted, ['namespace', ...NAMESPACE_FIELDS]) }
  const { namespace } = wanted
  const about = namespace === undefined ? subject('other', 'the new namespace') : subject('namespace', namespace)
  return accepted(about, theRegistry()('namespaceRow', undefined, [wanted]) as { row: NamespaceRow }, { given, meaning: misfits(wanted) }).row
}

/** Checks that an argument is an object, whose fields the engine can read. */
function plain(value: object, called: string): Given {
  if (typeof value === 'object' && value !== null) return { value, called }
  throw new LeafidError('REQUEST_INVALID', `${called || 'the argument'} must be an object with its fields, got ${shown(value)}`)
}

/** The fields of a new row. Refuses unknown ones: a misspelt field would be ignored silently. */
function known(wanted: object, names: readonly string[]): Given {
  const given = plain(wanted, '')
  checkNames(wanted, names, 'field')
  return given
}

/** The row of the worker number that an ask names. */
function rowOf(row: WorkerRow, ask: RenewAsk | ReleaseAsk): Given {
  return { ...plain(row, 'the row'), mustBe: { worker: `the worker number of the ask, ${shown((ask as { worker?: unknown } | null)?.worker)}` } }
}

/** The messages for a readable namespace that does not fit its layout or the limits. */
function misfits({ workers, maxWindowMs }: { workers?: unknown; maxWindowMs?: unknown }): Circumstances['meaning'] {
  return {
    WORKER_INVALID: () => `\`workers\` must be \`{ start, end }\` inside the layout, got ${shown(workers)}`,
    RANGE_INVALID: () => `\`maxWindowMs\` must be 1000 to 86400000, got ${shown(maxWindowMs)}`,
  }
}

/** Has the engine decide on the given arguments, in their order. */
function decided<T>(verb: Verb, about: Subject, store: string, given: Readonly<Record<string, Given>> & { ask: Given }, nowMs: number, meaning: Circumstances['meaning']): T {
  const noId = () => new LeafidError('REQUEST_INVALID', `the store's id must be 32 lower-case hex digits, got ${shown(store)}`)
  if (typeof store !== 'string') throw noId()
  checkAsk(verb, given.ask.value)
  // The engine would read another value as a wrong time, and grants would contain it.
  if (typeof nowMs !== 'number' || !Number.isFinite(nowMs)) {
    throw new LeafidError('REQUEST_INVALID', `\`nowMs\` must be a number of ms since 1970, as \`Date.now()\` gives it, got ${shown(nowMs)}`)
  }
  const answer = theRegistry()(verb, store, Object.values(given).map(({ value }) => value), nowMs)
  if ((answer as { of?: string }).of === 'call') throw noId()
  return accepted(about, answer, { given, meaning }, nowMs) as T
}
