import { randomToken, theHost } from '../hosts/host.js'
import { LeafidError } from '../values/errors.js'
import { NAMESPACE_FIELDS } from '../values/fields.js'
import { checkOptions, ownClock } from '../values/options.js'
import { called, subject, unknown } from '../values/refusals.js'
import { quoted, shown } from '../values/shown.js'
import { newNamespace, newTag, type DeclaredNamespace, type DeclaredTag, type FullRow } from './declared.js'
import { realm } from './realm.js'
import * as registry from './registry.js'
import type { Candidates, TagRow, WorkerRow } from './registry.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, Store, WindowGrant } from './store.js'

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970: the host's wall clock by default. If it goes back, the store's time stands still. */
  clock?: () => number
  /** The store's id, 32 lower-case hex digits: random by default. */
  id?: string
  /** Whether the first use of a tag or a namespace creates it: `true` by default. */
  createOnUse?: boolean
}

/** A store in memory, for tests, examples and single processes: its grants are forgotten with it. */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions(options, { names: ['clock', 'id', 'createOnUse'] })
  return new MemoryStore(options)
}

interface Namespace {
  row: FullRow
  rows: Map<number, WorkerRow>
}

/** How long an unused number is kept for its sticky owner, in ms. */
const KEEP_MS = 30 * 86_400_000

export class MemoryStore implements Store {
  readonly #tags = new Map<string, TagRow>()
  readonly #namespaces = new Map<string, Namespace>()
  readonly #clock: () => number
  readonly #createOnUse: boolean
  #id: string | undefined
  #now = Number.NEGATIVE_INFINITY

  constructor(options: MemoryStoreOptions) {
    realm.memories.add(this)
    this.#clock = options.clock === undefined ? () => theHost().wall() : ownClock(options.clock)
    this.#createOnUse = options.createOnUse ?? true
    this.#id = options.id
  }

  /** The store's id. */
  get id(): string {
    return (this.#id ??= randomToken())
  }

  /** Creates a tag. `REQUEST_INVALID` for other fields, `TAG_INVALID`, `TAG_EXISTS`, `STEP_INVALID`, `RANGE_INVALID`. */
  createTag(tag: string, wanted: DeclaredTag = {}): void {
    this.#tags.set(tag, newTag(tag, wanted, this.#tags.get(tag)))
  }

  /** Deletes a tag but keeps its position. `TAG_UNKNOWN`. */
  deleteTag(tag: string): void {
    this.#tags.set(tag, { ...this.#tag(tag), deleted: true })
  }

  /**
   * Creates a namespace, by default in the layout `leaf`. `REQUEST_INVALID` for other fields, `NAMESPACE_INVALID`,
   * `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`, and `LAYOUT_MISMATCH` if it exists and differs.
   */
  createNamespace(namespace: string, wanted: DeclaredNamespace = {}): void {
    const row = newNamespace(namespace, wanted)
    const there = this.#namespaces.get(namespace)?.row
    if (there === undefined) this.#namespaces.set(namespace, { row, rows: new Map() })
    for (const field of there === undefined ? [] : NAMESPACE_FIELDS) {
      const [is, declared] = [there, row].map((each) => JSON.stringify(each![field]))
      if (is === declared || (wanted[field] === undefined && field !== 'layout')) continue
      const message = `${called(subject('namespace', namespace))} exists already, and not as declared: \`${field}\` is \`${is}\`, not \`${declared}\`; use it, or take another name`
      throw new LeafidError('LAYOUT_MISMATCH', message)
    }
  }

  /**
   * Changes the worker numbers to hand out; a holder of another number keeps it until its window ends.
   * `NAMESPACE_UNKNOWN`, `WORKER_INVALID`.
   */
  setWorkers(namespace: string, workers: { start: number; end: number }): void {
    const before = this.#namespace(namespace)
    const { layout, maxWindowMs, floor } = before.row
    const row = registry.namespaceRow({ namespace, layout, maxWindowMs, workers }) as FullRow
    before.row = { ...row, floor }
  }

  /** As an operator's release: the holder keeps only its current window. `NAMESPACE_UNKNOWN`, `WORKER_INVALID`. */
  revoke(namespace: string, worker: number): void {
    const { rows, row: space } = this.#namespace(namespace)
    const row = rows.get(worker)
    if (row === undefined && !(Number.isInteger(worker) && isInside(space, worker))) {
      const { start, end } = space.workers
      throw new LeafidError('WORKER_INVALID', `the worker number must be ${start} to ${end - 1}, got ${shown(worker)}`)
    }
    if (row === undefined) return
    const { key: _, ...rest } = row
    rows.set(worker, { ...rest, owner: '', sticky: false })
  }

  leaseSegment(ask: SegmentAsk): SegmentGrant {
    if (this.#createOnUse && !this.#tags.has(ask.tag)) this.createTag(ask.tag)
    const { row, grant, refused } = registry.leaseSegment(this.id, this.#tag(ask.tag), ask, this.#time())
    this.#tags.set(ask.tag, row)
    if (refused !== undefined) throw refused
    return grant
  }

  acquire(ask: AcquireAsk): WindowGrant {
    if (this.#createOnUse && !this.#namespaces.has(ask.namespace)) {
      this.createNamespace(ask.namespace, ask.layout === undefined ? {} : { layout: ask.layout })
    }
    const [now, namespace] = [this.#time(), this.#namespace(ask.namespace)]
    const { row, freed, grant } = registry.acquire(this.id, namespace.row, candidates(ask, namespace, now), ask, now)
    for (const written of freed === undefined ? [row] : [freed, row]) namespace.rows.set(written.worker, written)
    return grant
  }

  renew(ask: RenewAsk): WindowGrant {
    const { row: namespace, rows } = this.#namespace(ask.namespace)
    const { row, grant, refused } = registry.renew(this.id, namespace, rows.get(ask.worker) ?? { worker: ask.worker }, ask, this.#time())
    rows.set(ask.worker, row)
    if (refused !== undefined) throw refused
    return grant
  }

  release(ask: ReleaseAsk): object {
    const { rows } = this.#namespace(ask.namespace)
    const { row } = registry.release(this.id, rows.get(ask.worker) ?? { worker: ask.worker }, ask)
    rows.set(ask.worker, row)
    return {}
  }

  #time(): number {
    this.#now = Math.max(this.#now, Math.floor(this.#clock()))
    return this.#now
  }

  #tag(tag: string): TagRow {
    const row = this.#tags.get(tag)
    if (row !== undefined && row.deleted !== true) return row
    throw unknown('tag', tag, `does not exist: create it with ${quoted(`createTag('${tag}')`)}`)
  }

  #namespace(namespace: string): Namespace {
    const known = this.#namespaces.get(namespace)
    if (known !== undefined) return known
    // Every store has `default` from the start.
    if (namespace === 'default') {
      this.createNamespace(namespace)
      return this.#namespace(namespace)
    }
    throw unknown('namespace', namespace, `does not exist: create it with ${quoted(`createNamespace('${namespace}')`)}`)
  }
}

function isInside({ workers: { start, end } }: FullRow, worker: number): boolean {
  return worker >= start && worker < end
}

/** The candidates of an acquire, out of all rows: a process has few holders. */
function candidates({ request, owner }: AcquireAsk, { row, rows }: Namespace, now: number): Candidates {
  const all = [...rows.values()]
  const own = all.find((each) => each.sticky === true && each.owner === owner)
  let unused = row.workers.start
  while (rows.has(unused)) unused += 1
  const isKept = ({ sticky, owner: other, grantedMs = 0 }: WorkerRow) => sticky === true && other !== owner && now - grantedMs < KEEP_MS
  const later = (one: WorkerRow, other: WorkerRow) => Number(isKept(one)) - Number(isKept(other)) || Number(BigInt(one.reservedUntil ?? 0) - BigInt(other.reservedUntil ?? 0))
  const [longest] = all.filter(({ worker }) => isInside(row, worker)).sort(later)
  return { mine: all.find(({ key }) => key === request), own, rested: isInside(row, unused) ? { worker: unused } : longest }
}
