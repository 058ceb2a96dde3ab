import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'
import * as registry from '../stores/registry.js'
import type { WorkerRow } from '../stores/registry.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant } from '../stores/store.js'
import { fixed, isSameLayout, wantedNamespace, wantedTag, type Declared } from './declared.js'
import { namespaceOf, tagOf, workerOf, bytes, type Namespace } from './rows.js'
import { beat, isSameWorker, putNamespace, putTag, putWorker, sameNamespace, type Step } from './steps.js'
import { column, query, type Columns, type Query } from './text.js'
import { TEXTS, VERSION } from './texts.js'
import { AnchoredTime } from './time.js'

/** What is known of a store before it is asked. */
export interface Setting {
  /** Tags and namespaces that are declared in code; without it the rows alone say what there is. */
  declared?: Declared
  /**
   * Milliseconds since 1970: where it goes back, the store's time stands still. By default it is the database's, and never below
   * what the store was written at when it was asked first, and what passed since.
   */
  clock?: () => number
  /** Whether the version of the tables stands in a table of its own, and is looked at with each ask. */
  hasVersion: boolean
  /** What is said of a tag or namespace without a row. */
  unknown(kind: 'tag' | 'namespace', name: string): LeafidError
  /** What is said of tables of another version. */
  otherVersion(version: number): LeafidError
}

/** What was decided: what to write for it; with `again`, what has to be written before it can be decided. */
export type Decided<T> = { steps: readonly Step[] } & ({ answer: T } | { again: true })

/** A decision that asks for rows on its way. */
export type Work<T> = Generator<readonly Query[], Decided<T>, readonly Columns[][]>

interface Begun {
  store: string
  now: number
  /** Above 0: the store has lost grants, or replaces a lost one, and grants no window that begins before. */
  floorMs: number
  found: readonly Columns[][]
}

/** The decisions over rows in tables. Whoever runs them reads, and writes all steps or none. */
export class Works {
  readonly #setting: Setting
  #now = Number.NEGATIVE_INFINITY
  #time: AnchoredTime | undefined

  constructor(setting: Setting) {
    this.#setting = setting
  }

  *lease_segment(ask: SegmentAsk): Work<SegmentGrant> {
    const { declared } = this.#setting
    const { store, now, floorMs, found } = yield* this.#begin([query(TEXTS.tag, { tag: ask.tag })])
    const was = first(found[0], tagOf)
    if (declared !== undefined) {
      const wanted = wantedTag(declared, ask.tag, was, floorMs)
      if (wanted !== undefined) return { steps: [putTag(ask.tag, wanted, was), beat(now)], again: true }
    }
    if (was === undefined || was.deleted === true) throw this.#setting.unknown('tag', ask.tag)
    const { row, grant } = registry.lease_segment(store, was, ask, now)
    return { steps: [putTag(ask.tag, row, was), beat(now)], answer: grant }
  }

  *acquire(ask: AcquireAsk): Work<WindowGrant> {
    const { namespace, owner, request } = ask
    const { store, now, floorMs, found } = yield* this.#begin([
      query(TEXTS.namespace, { namespace }),
      query(TEXTS.mine, { namespace, key: key(request) }),
      query(TEXTS.own, { namespace, owner }),
      query(TEXTS.rested, { namespace, count: 1 }),
      query(TEXTS.kept, { namespace, count: 1 }),
    ])
    const was = first(found[0], namespaceOf)
    const change = yield* this.#settle(namespace, was, now, floorMs)
    if (change !== undefined) return { steps: [...change, beat(now)], again: true }
    if (was === undefined) throw this.#setting.unknown('namespace', namespace)
    const [mine, rested, longestKept] = [found[1], found[3], found[4]].map((rows) => first(rows, workerOf))
    const kept = (found[2] ?? []).map(workerOf)
    const rows: registry.Found = { used_until: was.usedUntil, mine, own: kept[0], spare: kept[1], rested, kept: longestKept }
    let decided = registry.acquire_found(store, was.row, rows, ask, now)
    while (decided.unused_from !== undefined) {
      rows.unused = yield* firstUnused(namespace, decided.unused_from)
      decided = registry.acquire_found(store, was.row, rows, ask, now)
    }
    const { row, freed, grant, used_until: usedUntil } = decided
    const read = [mine, ...kept, rested, longestKept]
    const changed = (freed === undefined ? [row] : [freed, row]).flatMap((after) => {
      const had = read.find((row) => row?.worker === after.worker)
      return had !== undefined && isSameWorker(had, after) ? [] : [putWorker(namespace, after, had)]
    })
    if (changed.length === 0) return { steps: [], answer: grant }
    const own = usedUntil === was.usedUntil ? [sameNamespace(namespace, was)] : putNamespace(namespace, { ...was, usedUntil }, was)
    return { steps: [...own, ...changed, beat(now)], answer: grant }
  }

  *renew(ask: RenewAsk): Work<WindowGrant> {
    const { store, now, floorMs, was, row } = yield* this.#holder(ask)
    // A number that is declared away goes to nobody any more: its holder is told, and goes on to the end in hand.
    const declared = this.#setting.declared && wantedNamespace(this.#setting.declared, ask.namespace, was, floorMs)
    const namespace = declared === undefined ? was.row : { ...was.row, workers: declared.workers }
    const { row: after, grant } = registry.renew(store, namespace, row ?? { worker: ask.worker }, ask, now)
    const steps = [sameNamespace(ask.namespace, was), putWorker(ask.namespace, after, row), beat(now)]
    return { steps, answer: grant }
  }

  *release(ask: ReleaseAsk): Work<object> {
    const { store, now, was, row } = yield* this.#holder(ask)
    const { row: after } = registry.release(store, row ?? { worker: ask.worker }, ask)
    return { steps: [sameNamespace(ask.namespace, was), putWorker(ask.namespace, after, row), beat(now)], answer: {} }
  }

  *#holder({ namespace, worker }: RenewAsk | ReleaseAsk): Generator<readonly Query[], Begun & { was: Namespace; row: WorkerRow | undefined }, readonly Columns[][]> {
    checkWorker(worker)
    const begun = yield* this.#begin([query(TEXTS.namespace, { namespace }), query(TEXTS.worker, { namespace, worker })])
    const was = first(begun.found[0], namespaceOf)
    if (was === undefined) throw this.#setting.unknown('namespace', namespace)
    return { ...begun, was, row: first(begun.found[1], workerOf) }
  }

  /** Reads what every decision wants, and these. */
  *#begin(queries: readonly Query[]): Generator<readonly Query[], Begun, readonly Columns[][]> {
    const { clock, hasVersion, otherVersion } = this.#setting
    const head = [query(TEXTS.meta), ...(clock === undefined ? [query(TEXTS.now)] : []), ...(hasVersion ? [query(TEXTS.version_is)] : [])]
    const all = yield [...head, ...queries]
    const version = hasVersion ? Number(all[head.length - 1]?.[0]?.['version'] ?? 0) : VERSION
    if (version !== VERSION) throw otherVersion(version)
    const meta = all[0]?.[0]
    if (meta === undefined) throw new LeafidError('SCHEMA_MISMATCH', 'the table `meta` has no row, so the store has no id: look who changed it')
    const told = clock === undefined ? this.#database(Number(all[1]?.[0]?.['now']), Number(meta['beat_ms'])) : clock()
    this.#now = Math.max(this.#now, Math.floor(told))
    return { store: String(column(meta, 'store')), now: this.#now, floorMs: Number(meta['floor_ms']), found: all.slice(head.length) }
  }

  /** The time of a database that says it is `told`. */
  #database(told: number, beatMs: number): number {
    const up = performance.now()
    this.#time ??= new AnchoredTime(beatMs, up)
    return this.#time.read(told, up)
  }

  /** What has to be written first for a namespace to be as it is declared. */
  *#settle(
    namespace: string,
    was: Namespace | undefined,
    now: number,
    floorMs: number,
  ): Generator<readonly Query[], Step[] | undefined, readonly Columns[][]> {
    const { declared } = this.#setting
    const wanted = declared && wantedNamespace(declared, namespace, was, floorMs)
    if (wanted === undefined) return undefined
    if (was === undefined) return putNamespace(namespace, { row: wanted, usedUntil: wanted.workers.start })
    const { start, end } = wanted.workers
    const [any = [], leaving = []] = yield [
      query(TEXTS.workers, { namespace, after: -1, limit: 1 }),
      query(TEXTS.leaving, { namespace, before_start: was.row.workers.start, before_end: was.row.workers.end, after_start: start, after_end: end }),
    ]
    if (any.length > 0) {
      if (!isSameLayout(was.row, wanted)) throw fixed(namespace, 'layout')
      if (was.row.max_window_ms !== wanted.max_window_ms) throw fixed(namespace, '`max_window_ms`')
    }
    const held = first(leaving, workerOf)
    const free = held === undefined ? 0 : timeOf(was, held)
    if (held !== undefined && free > now) {
      const message = `worker ${held.worker} of namespace \`${namespace}\` cannot leave the range yet: it is granted until ${new Date(free).toISOString()}`
      throw new LeafidError('WORKERS_EXHAUSTED', message, { until: free, retryAfter: free - now })
    }
    return putNamespace(namespace, { row: wanted, usedUntil: yield* firstUnused(namespace, start) }, was)
  }
}

/** The lowest number from `from` on that was never handed out. */
function* firstUnused(namespace: string, from: number): Generator<readonly Query[], number, readonly Columns[][]> {
  const [rows] = yield [query(TEXTS.unused, { namespace, from })]
  return Number(rows?.[0]?.['unused'])
}

/** When the last tick of a row is over, in ms since 1970. */
function timeOf({ row }: Namespace, { reserved_until }: WorkerRow): number {
  const { epoch_ms, tick_ms } = row.layout as { epoch_ms: number; tick_ms: number }
  return epoch_ms + Number(reserved_until ?? 0) * tick_ms
}

function first<T>(rows: readonly Columns[] | undefined, read: (row: Columns) => T): T | undefined {
  return rows?.[0] === undefined ? undefined : read(rows[0])
}

/** The key of an acquire is its request id; one that is none is the core's to refuse. */
function key(request: string): Uint8Array {
  return bytes(/^[0-9a-f]{32}$/.test(request) ? request : '')
}

function checkWorker(worker: unknown): void {
  if (Number.isInteger(worker) && (worker as number) >= 0 && (worker as number) < 2 ** 32) return
  throw new LeafidError('REQUEST_INVALID', `\`worker\` of the ask must be a whole number from 0 to 4294967295, got ${shown(worker)}`)
}
