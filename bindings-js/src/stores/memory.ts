import { theEngine } from '../engine.js'
import { LeafidError, accepted, advice, shown } from '../errors.js'
import { randomToken, theHost } from '../host.js'
import { Layout, asLayout, type LayoutFields, type LayoutName } from '../layout.js'
import * as registry from '../registry.js'
import type { NamespaceRow, TagRow, WorkerRow } from '../registry.js'
import type { AcquireAsk, Big, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, Store, WindowGrant } from './store.js'

/** How a memory store is made. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970; the host's wall clock if not said. It is never followed back. */
  clock?: () => number
  /** The store's id, 32 lower-case hex digits; random if not said. */
  id?: string
  /** Whether tags and namespaces are made by their first use, as they are by default. */
  createOnUse?: boolean
}

/** A store in memory, for tests, examples and single processes: what it granted is gone with it. */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStore(options)
}

interface Space {
  row: NamespaceRow & { workers: { start: number; end: number } }
  workers: Map<number, WorkerRow>
}

/** The rows that the registry decides about, in two maps. */
export class MemoryStore implements Store {
  readonly #tags = new Map<string, TagRow>()
  readonly #spaces = new Map<string, Space>()
  readonly #clock: () => number
  readonly #createOnUse: boolean
  #id: string | undefined
  #now = Number.NEGATIVE_INFINITY

  constructor(options: MemoryStoreOptions) {
    this.#clock = options.clock ?? (() => theHost().wall())
    this.#createOnUse = options.createOnUse ?? true
    this.#id = options.id
  }

  /** The store's id. */
  get id(): string {
    return (this.#id ??= randomToken())
  }

  /** Creates a tag. `TAG_EXISTS`, `STEP_INVALID`, `RANGE_INVALID`. */
  createTag(tag: string, wanted: { from?: Big; step?: number; max_step?: number } = {}): void {
    const { row } = made<{ row: TagRow }>(`the tag ${shown(tag)}`, theEngine().tagRow(this.#tags.get(tag), wanted))
    this.#tags.set(tag, row)
  }

  /** Deletes a tag; its position stays. `TAG_UNKNOWN`. */
  deleteTag(tag: string): void {
    this.#tags.set(tag, { ...this.#tag(tag), deleted: true })
  }

  /** Creates a namespace. `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`, and `LAYOUT_MISMATCH` if it is there with another layout. */
  createNamespace(
    namespace: string,
    wanted: { layout?: Layout | LayoutName | LayoutFields; workers?: { start: number; end: number }; max_window_ms?: number } = {},
  ): void {
    const what = `the namespace ${shown(namespace)}`
    const layout = asLayout(wanted.layout ?? Layout.leaf).toJSON()
    const { row } = made<{ row: Space['row'] }>(what, theEngine().namespaceRow({ ...wanted, layout }))
    const before = this.#spaces.get(namespace)
    if (before === undefined) this.#spaces.set(namespace, { row, workers: new Map() })
    else if (JSON.stringify(before.row.layout) !== JSON.stringify(layout)) {
      throw new LeafidError('LAYOUT_MISMATCH', `${what} has another layout: ${advice('LAYOUT_MISMATCH')}`)
    }
  }

  /** An operator's release: the holder goes on to the end in hand and gets no more. */
  revoke(namespace: string, worker: number): void {
    const { key: _, ...row } = this.#row(this.#space(namespace), worker)
    this.#space(namespace).workers.set(worker, { ...row, owner: '', sticky: false })
  }

  lease_segment(ask: SegmentAsk): SegmentGrant {
    if (this.#createOnUse && !this.#tags.has(ask.tag)) this.createTag(ask.tag)
    const { row, grant } = registry.lease_segment(this.id, this.#tag(ask.tag), ask, this.#time())
    this.#tags.set(ask.tag, row)
    return grant
  }

  acquire(ask: AcquireAsk): WindowGrant {
    if (this.#createOnUse && !this.#spaces.has(ask.namespace)) {
      this.createNamespace(ask.namespace, ask.layout === undefined ? {} : { layout: ask.layout })
    }
    const now = this.#time()
    const space = this.#space(ask.namespace)
    const rows = [...space.workers.values()]
    const mine = rows.find((row) => row.key === ask.request)
    const own = rows.find((row) => row.sticky === true && row.owner === ask.owner)
    const { row, grant } = registry.acquire(this.id, space.row, { mine, own, rested: rested(space, ask.owner, now) }, ask, now)
    space.workers.set(row.worker, row)
    return grant
  }

  renew(ask: RenewAsk): WindowGrant {
    const space = this.#space(ask.namespace)
    const { row, grant } = registry.renew(this.id, space.row, this.#row(space, ask.worker), ask, this.#time())
    space.workers.set(row.worker, row)
    return grant
  }

  release(ask: ReleaseAsk): object {
    const space = this.#space(ask.namespace)
    const { row } = registry.release(this.id, this.#row(space, ask.worker), ask)
    space.workers.set(row.worker, row)
    return {}
  }

  #time(): number {
    this.#now = Math.max(this.#now, Math.floor(this.#clock()))
    return this.#now
  }

  #tag(tag: string): TagRow {
    const row = this.#tags.get(tag)
    if (row !== undefined && row.deleted !== true) return row
    throw new LeafidError('TAG_UNKNOWN', `the tag ${shown(tag)} was never created: \`leafid tag create ${tag}\``)
  }

  #space(namespace: string): Space {
    const space = this.#spaces.get(namespace)
    if (space !== undefined) return space
    // It is there from the start, in every store.
    if (namespace === 'default') {
      this.createNamespace(namespace)
      return this.#space(namespace)
    }
    throw new LeafidError('NAMESPACE_UNKNOWN', `the namespace ${shown(namespace)} was never created: \`leafid namespace create ${namespace}\``)
  }

  #row(space: Space, worker: number): WorkerRow {
    const row = space.workers.get(worker)
    if (row !== undefined) return row
    const { start, end } = space.row.workers
    if (Number.isInteger(worker) && worker >= start && worker < end) return { worker }
    throw new LeafidError('WORKER_INVALID', `the worker ${shown(worker)} is none of ${start} to ${end - 1}: ${advice('WORKER_INVALID')}`)
  }
}

/** The number that is free first: one that nobody ever had, else kept ones last, then by how long they rested. */
function rested(space: Space, owner: string, now: number): WorkerRow | undefined {
  let best: { row: WorkerRow; kept: boolean; until: bigint } | undefined
  for (let worker = space.row.workers.start; worker < space.row.workers.end; worker++) {
    const row = space.workers.get(worker)
    if (row === undefined) return { worker }
    const kept = theEngine().isKeptFrom(row, owner, now)
    const until = BigInt(row.reserved_until ?? 0)
    const sooner = best === undefined || (kept === best.kept ? until < best.until : !kept)
    if (sooner) best = { row, kept, until }
  }
  return best?.row
}

function made<T>(what: string, answer: object): T {
  return accepted(what, answer) as T
}
