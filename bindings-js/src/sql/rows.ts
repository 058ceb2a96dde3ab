import { namespace_row, type NamespaceRow, type TagRow, type WorkerRow } from '../stores/registry.js'
import type { Big } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { LAYOUT_FIELDS, type LayoutFields } from '../values/layout.js'
import { quoted, shown } from '../values/shown.js'
import { column, type Columns, type Param } from './text.js'

const MOST = { end: 2n ** 63n - 1n, step: 2n ** 31n - 1n, exact: 2n ** 53n - 1n }

/**
 * Reads the columns of a row of `about`, such as "tag `orders`". A value that no program of ours writes is
 * `SCHEMA_MISMATCH`: the row was edited by hand, and a grant decided on it could repeat numbers.
 */
class Reading {
  readonly #row: Columns
  readonly #about: string

  constructor(row: Columns, about: string) {
    this.#row = row
    this.#about = about
  }

  number(name: string, least = 0n, most: keyof typeof MOST = 'exact'): number {
    return Number(this.big(name, least, most))
  }

  /** A number of 64 bits, as its digits. */
  big(name: string, least = 0n, most: keyof typeof MOST = 'end'): string {
    const found = column(this.#row, name)
    const text = typeof found === 'bigint' || typeof found === 'number' || typeof found === 'string' ? String(found) : ''
    if (!/^-?\d{1,20}$/.test(text) || BigInt(text) < least || BigInt(text) > MOST[most]) throw this.odd(name, found)
    return text
  }

  flag(name: string): boolean {
    const found = column(this.#row, name)
    if (Number(found) !== 0 && Number(found) !== 1) throw this.odd(name, found)
    return Number(found) === 1
  }

  text(name: string): string {
    const found = column(this.#row, name)
    if (typeof found !== 'string') throw this.odd(name, found)
    return found
  }

  /** What is said of a value that is none of ours. */
  odd(name: string, found: unknown, cause?: unknown): LeafidError {
    const is = typeof found === 'string' ? quoted(found) : shown(found)
    const message = `a row of ${this.#about} has a value that leafid did not write (\`${name}\` is ${is}); put back what it was, or a higher position and later times, and nothing is granted twice`
    return new LeafidError('SCHEMA_MISMATCH', message, { cause })
  }
}

/** The row of a namespace, and the lowest worker number that was never handed out. */
export interface Namespace {
  row: NamespaceRow & { workers: { start: number; end: number }; floor: Big }
  usedUntil: number
}

export type Params = Record<string, Param>

/** What stands before the name of a column in a condition. */
const WAS = 'was_'

/** The row of a tag. A step of 0 is read: there is a command against it. */
export function tagOf(row: Columns, tag: string): TagRow {
  const read = new Reading(row, `tag ${quoted(tag)}`)
  const given = (name: 'until' | 'claimed_until') => ((column(row, name) ?? undefined) === undefined ? {} : { [name]: read.big(name) })
  return {
    max_id: read.big('max_id', 1n),
    step: read.number('step', 0n, 'step'),
    max_step: read.number('max_step', 1n, 'step'),
    deleted: read.flag('deleted'),
    ...given('until'),
    ...given('claimed_until'),
  }
}

export function tagParams({ max_id, step, max_step, deleted, until, claimed_until }: TagRow): Params {
  const given = (end: Big | undefined) => (end === undefined ? null : String(end))
  return { max_id: String(max_id), step, max_step, deleted: Number(deleted ?? false), until: given(until), claimed_until: given(claimed_until) }
}

export function namespaceOf(row: Columns, namespace: string): Namespace {
  const read = new Reading(row, `namespace ${quoted(namespace)}`)
  const layout = Object.fromEntries(LAYOUT_FIELDS.map((field) => [field, read.number(field, field === 'epoch_ms' ? -(2n ** 53n) : 0n)])) as unknown as LayoutFields
  const workers = { start: read.number('workers_start'), end: read.number('workers_end') }
  const found = { row: { layout, max_window_ms: read.number('max_window_ms'), workers, floor: read.big('floor') }, usedUntil: read.number('used_until') }
  try {
    namespace_row({ layout, workers, max_window_ms: found.row.max_window_ms })
  } catch (cause) {
    throw read.odd('layout', { ...layout, workers, max_window_ms: found.row.max_window_ms }, cause)
  }
  return found
}

export function namespaceParams({ row, usedUntil }: Namespace): Params {
  const { layout, max_window_ms, workers, floor } = row
  const bits = Object.fromEntries(LAYOUT_FIELDS.map((field) => [field, (layout as LayoutFields)[field]]))
  return { ...bits, max_window_ms, workers_start: workers.start, workers_end: workers.end, floor: String(floor), used_until: usedUntil }
}

/** The row of a worker number as it is read: every field is there, but for the key of a number that nobody holds. */
export function workerOf(row: Columns, namespace: string): Required<Omit<WorkerRow, 'key'>> & Pick<WorkerRow, 'key'> {
  const read = new Reading(row, `namespace ${quoted(namespace)}`)
  const key = String(column(row, 'key') ?? '')
  if (!/^([0-9a-f]{32})?$/.test(key)) throw read.odd('key', key)
  return {
    worker: read.number('worker'),
    owner: read.text('owner'),
    sticky: read.flag('sticky'),
    ...(key === '' ? {} : { key }),
    held_from: read.big('held_from'),
    reserved_until: read.big('reserved_until'),
    granted_ms: read.number('granted_ms'),
  }
}

export function workerParams(row: WorkerRow): Params {
  return {
    worker: row.worker,
    owner: row.owner ?? '',
    sticky: Number(row.sticky ?? false),
    key: row.key === undefined ? null : bytes(row.key),
    held_from: String(row.held_from ?? 0),
    reserved_until: String(row.reserved_until ?? 0),
    granted_ms: Number(row.granted_ms ?? 0),
  }
}

/** The values of a row as it was, each after `was_`. */
export function before(params: Params): Params {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [`${WAS}${name}`, value]))
}

export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
