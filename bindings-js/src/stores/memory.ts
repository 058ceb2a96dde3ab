import { theEngine } from '../engines/engine.js'
import { LeafidError, accepted, advice, shown } from '../values/errors.js'
import { randomToken, theHost } from '../hosts/host.js'
import { Layout, asLayout, type LayoutFields, type LayoutName } from '../values/layout.js'
import * as registry from './registry.js'
import type { NamespaceRow, TagRow } from './registry.js'
import { Numbers, type Workers } from './workers.js'
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
  row: NamespaceRow & { workers: Workers }
  numbers: Numbers
}

/** The rows that the registry decides about. */
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

  /** Creates a tag. `TAG_INVALID`, `TAG_EXISTS`, `STEP_INVALID`, `RANGE_INVALID`. */
  createTag(tag: string, wanted: { from?: Big; step?: number; max_step?: number } = {}): void {
    const { row } = made<{ row: TagRow }>(`the tag ${shown(tag)}`, theEngine().tagRow(this.#tags.get(tag), { ...wanted, tag }))
    this.#tags.set(tag, row)
  }

  /** Deletes a tag; its position stays. `TAG_UNKNOWN`. */
  deleteTag(tag: string): void {
    this.#tags.set(tag, { ...this.#tag(tag), deleted: true })
  }

  /** Creates a namespace, in the layout `leaf` if none is said. `NAMESPACE_INVALID`, `LAYOUT_INVALID`, `WORKER_INVALID`, `RANGE_INVALID`, and `LAYOUT_MISMATCH` if it is there with another layout. */
  createNamespace(
    namespace: string,
    wanted: { layout?: Layout | LayoutName | LayoutFields; workers?: Workers; max_window_ms?: number } = {},
  ): void {
    const what = `the namespace ${shown(namespace)}`
    const layout = asLayout(wanted.layout ?? Layout.leaf).toJSON()
    const { row } = made<{ row: Space['row'] }>(what, theEngine().namespaceRow({ ...wanted, namespace, layout }))
    const before = this.#spaces.get(namespace)
    if (before === undefined) this.#spaces.set(namespace, { row, numbers: new Numbers(row.workers) })
    else if (JSON.stringify(before.row.layout) !== JSON.stringify(layout)) {
      throw new LeafidError('LAYOUT_MISMATCH', `${what} has another layout: ${advice('LAYOUT_MISMATCH')}`)
    }
  }

  /** Hands out other worker numbers from now on: who holds one that is none of them goes on to the end in hand. `NAMESPACE_UNKNOWN`, `WORKER_INVALID`. */
  setWorkers(namespace: string, workers: Workers): void {
    const space = this.#space(namespace)
    const { layout, max_window_ms, floor } = space.row
    const wanted = { layout, max_window_ms, workers }
    const { row } = made<{ row: Space['row'] }>(`the namespace ${shown(namespace)}`, theEngine().namespaceRow(wanted))
    space.row = floor === undefined ? row : { ...row, floor }
    space.numbers.hand(row.workers)
  }

  /** An operator's release: the holder goes on to the end in hand and gets no more. `NAMESPACE_UNKNOWN`, `WORKER_INVALID`. */
  revoke(namespace: string, worker: number): void {
    const { numbers, row } = this.#space(namespace)
    if (!numbers.knows(worker)) {
      const { start, end } = row.workers
      throw new LeafidError('WORKER_INVALID', `the worker number must be ${start} to ${end - 1}, got ${shown(worker)}: ${advice('WORKER_INVALID')}`)
    }
    const { key: _, ...rest } = numbers.get(worker)
    numbers.put({ ...rest, owner: '', sticky: false })
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
    const { numbers } = space
    const [own, spare] = numbers.kept(ask.owner)
    const candidates = { mine: numbers.mine(ask.request), own, spare, rested: numbers.rested(ask.owner, now) }
    const { row, freed, grant } = registry.acquire(this.id, space.row, candidates, ask, now)
    if (freed !== undefined) numbers.put(freed)
    numbers.put(row)
    return grant
  }

  renew(ask: RenewAsk): WindowGrant {
    const space = this.#space(ask.namespace)
    const { row, grant } = registry.renew(this.id, space.row, space.numbers.get(ask.worker), ask, this.#time())
    space.numbers.put(row)
    return grant
  }

  release(ask: ReleaseAsk): object {
    const space = this.#space(ask.namespace)
    const { row } = registry.release(this.id, space.numbers.get(ask.worker), ask)
    space.numbers.put(row)
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
}

function made<T>(what: string, answer: object): T {
  return accepted(what, answer) as T
}
