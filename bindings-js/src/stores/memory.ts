import { randomToken, theHost } from '../hosts/host.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions, ownClock } from '../values/options.js'
import { unknown } from '../values/refusals.js'
import { quoted, shown } from '../values/shown.js'
import { deciding } from './deciding.js'
import { newNamespace, newTag, notAsDeclared, otherNamespace, type DeclaredNamespace, type DeclaredTag, type FullRow } from './declared.js'
import * as registry from './registry.js'
import type { Found, TagRow, WorkerRow } from './registry.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, Store, WindowGrant } from './store.js'

/** How a memory store is made. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970: the host's wall clock by default. When it goes back, the store's time stands still. */
  clock?: () => number
  /** The store's id, 32 lower-case hex digits: random by default. */
  id?: string
  /** Whether the first use of a tag or a namespace creates it: `true` by default. */
  createOnUse?: boolean
}

/**
 * A store in memory, for tests, examples and single processes: what it granted is gone with it. `NOT_ENABLED` in a Worker or a
 * page that does not import `leafid/registry`.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  checkOptions(options, { names: ['clock', 'id', 'createOnUse'] })
  return new MemoryStore(options)
}

interface Namespace {
  row: FullRow
  rows: Map<number, WorkerRow>
  usedUntil: number
}

export class MemoryStore implements Store {
  readonly #tags = new Map<string, TagRow>()
  readonly #namespaces = new Map<string, Namespace>()
  readonly #clock: () => number
  readonly #createOnUse: boolean
  #id: string | undefined
  #now = Number.NEGATIVE_INFINITY

  constructor(options: MemoryStoreOptions) {
    deciding()
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

  /** Deletes a tag; its position stays. `TAG_UNKNOWN`. */
  deleteTag(tag: string): void {
    this.#tags.set(tag, { ...this.#tag(tag), deleted: true })
  }

  /** Creates a namespace, by default in the layout `leaf`. `REQUEST_INVALID` for other fields, `NAMESPACE_INVALID`, `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`, and `LAYOUT_MISMATCH` if it exists otherwise. */
  createNamespace(namespace: string, wanted: DeclaredNamespace = {}): void {
    const row = newNamespace(namespace, wanted)
    const before = this.#namespaces.get(namespace)
    if (before === undefined) this.#namespaces.set(namespace, { row, rows: new Map(), usedUntil: row.workers.start })
    else {
      const others = otherNamespace(namespace, { ...wanted, layout: row.layout }, before.row)
      if (others.length > 0) throw notAsDeclared('namespace', namespace, others, 'use it, or take another name')
    }
  }

  /** Hands out other worker numbers from now on; whoever holds one outside them keeps it to the end of the window in hand. `NAMESPACE_UNKNOWN`, `WORKER_INVALID`. */
  setWorkers(namespace: string, workers: FullRow['workers']): void {
    const before = this.#namespace(namespace)
    const { layout, max_window_ms, floor } = before.row
    const row = registry.namespace_row({ namespace, layout, max_window_ms, workers }) as FullRow
    before.row = { ...row, floor }
    before.usedUntil = row.workers.start
  }

  /** An operator's release: the holder keeps the window in hand to its end, and gets no other. `NAMESPACE_UNKNOWN`, `WORKER_INVALID`. */
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

  lease_segment(ask: SegmentAsk): SegmentGrant {
    if (this.#createOnUse && !this.#tags.has(ask.tag)) this.createTag(ask.tag)
    const { row, grant, refused } = registry.lease_segment(this.id, this.#tag(ask.tag), ask, this.#time())
    this.#tags.set(ask.tag, row)
    if (refused !== undefined) throw refused
    return grant
  }

  acquire(ask: AcquireAsk): WindowGrant {
    if (this.#createOnUse && !this.#namespaces.has(ask.namespace)) {
      this.createNamespace(ask.namespace, ask.layout === undefined ? {} : { layout: ask.layout })
    }
    const [now, namespace] = [this.#time(), this.#namespace(ask.namespace)]
    const { row: space, rows } = namespace
    const found = foundFor(ask, namespace)
    let decided = registry.acquire_found(this.id, space, found, ask, now)
    if (decided.unused_from !== undefined) {
      let unused = decided.unused_from
      while (rows.has(unused)) unused += 1
      decided = registry.acquire_found(this.id, space, { ...found, unused }, ask, now) as Exclude<typeof decided, { unused_from: number }>
    }
    const { row, freed, grant, used_until } = decided
    for (const written of freed === undefined ? [row] : [freed, row]) rows.set(written.worker, written)
    namespace.usedUntil = used_until
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
    // Every store has it from the start.
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

/** What the rows have for an acquire. All are looked at: a process has few holders. */
function foundFor({ request, owner }: AcquireAsk, { row, rows, usedUntil }: Namespace): Found {
  const all = [...rows.values()]
  const [own, spare] = all.filter((each) => each.sticky === true && each.owner === owner)
  const least = (sticky: boolean, by: (each: WorkerRow) => bigint | number): WorkerRow | undefined =>
    all.filter((each) => (each.sticky ?? false) === sticky && isInside(row, each.worker)).reduce<WorkerRow | undefined>((best, each) => (best !== undefined && by(best) <= by(each) ? best : each), undefined)
  return {
    used_until: usedUntil,
    mine: all.find(({ key }) => key === request),
    own,
    spare,
    rested: least(false, ({ reserved_until }) => BigInt(reserved_until ?? 0)),
    kept: least(true, ({ granted_ms }) => granted_ms ?? 0),
  }
}
