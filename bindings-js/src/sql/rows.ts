import type { NamespaceRow, TagRow, WorkerRow } from '../stores/registry.js'
import type { Big } from '../stores/store.js'
import type { LayoutFields } from '../values/layout.js'
import { column, type Columns, type Param } from './text.js'

/** The row of a namespace, and the lowest worker number that was never handed out. */
export interface Namespace {
  row: NamespaceRow & { workers: { start: number; end: number }; floor: Big }
  usedUntil: number
}

/** The parameters of a text by their names. */
export type Params = Record<string, Param>

/** What stands before the name of a column in a condition. */
const WAS = 'was_'

const LAYOUT = ['epoch_ms', 'tick_ms', 'time_bits', 'worker_bits', 'sequence_bits'] as const

export function tagOf(row: Columns): TagRow {
  const until = column(row, 'until')
  return {
    max_id: String(column(row, 'max_id')),
    step: Number(row['step']),
    max_step: Number(row['max_step']),
    deleted: Number(row['deleted']) === 1,
    ...(until === null || until === undefined ? {} : { until: String(until) }),
  }
}

export function tagParams({ max_id, step, max_step, deleted, until }: TagRow): Params {
  return { max_id: String(max_id), step, max_step, deleted: Number(deleted ?? false), until: until === undefined ? null : String(until) }
}

export function namespaceOf(row: Columns): Namespace {
  const layout = Object.fromEntries(LAYOUT.map((field) => [field, Number(row[field])])) as unknown as LayoutFields
  return {
    row: {
      layout,
      max_window_ms: Number(row['max_window_ms']),
      workers: { start: Number(row['workers_start']), end: Number(row['workers_end']) },
      floor: String(column(row, 'floor')),
    },
    usedUntil: Number(row['used_until']),
  }
}

export function namespaceParams({ row, usedUntil }: Namespace): Params {
  const { layout, max_window_ms, workers, floor } = row
  const bits = Object.fromEntries(LAYOUT.map((field) => [field, (layout as LayoutFields)[field]]))
  return { ...bits, max_window_ms, workers_start: workers.start, workers_end: workers.end, floor: String(floor), used_until: usedUntil }
}

/** The row of a worker number as it is read: every field is there, but for the key of a number that nobody holds. */
export function workerOf(row: Columns): Required<Omit<WorkerRow, 'key'>> & Pick<WorkerRow, 'key'> {
  const key = String(column(row, 'key') ?? '')
  return {
    worker: Number(row['worker']),
    owner: String(row['owner']),
    sticky: Number(row['sticky']) === 1,
    ...(key === '' ? {} : { key }),
    held_from: String(column(row, 'held_from')),
    reserved_until: String(column(row, 'reserved_until')),
    granted_ms: Number(row['granted_ms']),
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

/** The bytes of a token. */
export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
