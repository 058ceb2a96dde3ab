import { notAsDeclared, otherNamespace } from '../stores/declared.js'
import * as registry from '../stores/registry.js'
import type { WorkerRow } from '../stores/registry.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, Verb, WindowGrant } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { called, subject } from '../values/refusals.js'
import { quoted, shown } from '../values/shown.js'
import { wantedNamespace, wantedTag, type Declared } from './declared.js'
import { SQLITE, type Dialect, type Query, type Step } from './dialect.js'
import { bytes, namespaceOf, tagOf, workerOf, type Namespace } from './rows.js'
import { beat, isSameWorker, putNamespace, putTag, putWorker, sameNamespace } from './steps.js'
import { column, type Columns } from './text.js'

/** A store's time where nobody else keeps it: the source's, and never below what the store knew at first and what passed since. */
export class AnchoredTime {
  #now: number
  #up: number

  /** `anchor` is the last time that the store was written, `up` ms on a clock that ticks. */
  constructor(anchor: number, up: number) {
    this.#now = anchor
    this.#up = up
  }

  /** The time now, in ms since 1970. */
  read(source: number, up: number): number {
    // Where that clock was set back, nothing is known to have passed, and it counts from there.
    const elapsed = Math.max(up - this.#up, 0)
    this.#up = up
    this.#now = Math.max(source, this.#now + elapsed)
    return this.#now
  }
}

/** What is known of a store before it is asked. */
export interface Setting {
  /** The kind of database: SQLite by default. */
  dialect?: Dialect
  /** Tags and namespaces that are declared in code; without it the rows alone say what there is. */
  declared?: Declared
  /**
   * Milliseconds since 1970: where it goes back, the store's time stands still. By default it is the database's, and never below
   * what the store was written at when it was asked first, and what passed since.
   */
  clock?: () => number
  /** The store's time, after the database said that it is `told`. */
  hears?: (told: number) => number
  /** Refuses what the database is set to, as the text `settings` says it: looked at with each ask. */
  judges?(settings: Columns): void
  /** Every namespace that is read. */
  sees?(namespace: Namespace): void
  /** Whether the version of the tables stands in a table of its own, and is looked at with each ask. */
  hasVersion: boolean
  /** What is said of a tag or namespace without a row. */
  unknown(kind: 'tag' | 'namespace', name: string): LeafidError
  /** What is said of tables of another version. */
  otherVersion(version: number): LeafidError
}

/** What was decided: what to write for it; with `again`, what has to be written before it can be decided. A refusal may be written, too. */
export type Decided<T> = { steps: readonly Step[] } & ({ answer: T } | { refused: LeafidError } | { again: true })

/** A decision that asks for rows on its way. */
export type Work<T> = Generator<readonly Query[], Decided<T>, readonly Columns[][]>

/** What the first window has made impossible. */
const FIXED = 'it has granted windows, so that cannot change any more: declare it as it was, and another namespace beside it'

/** How many numbers that were handed out are told at once, by a database that does not look for the first that was not. */
const STRETCH = 1_000

interface Begun {
  store: string
  now: number
  /** Above 0: the store has lost grants, or replaces a lost one, and grants no window that begins before. */
  floorMs: number
  found: readonly Columns[][]
  /** What ends a transaction that wrote something. */
  ends: readonly Step[]
}

/** The decisions over rows in tables. Whoever runs them reads, and writes all steps or none. */
export class Works {
  readonly #setting: Setting
  readonly #dialect: Dialect
  readonly #ask: Dialect['query']
  #now = Number.NEGATIVE_INFINITY
  #time: AnchoredTime | undefined

  constructor(setting: Setting) {
    this.#setting = setting
    this.#dialect = setting.dialect ?? SQLITE
    this.#ask = this.#dialect.query
  }

  begin(verb: Verb, ask: never): Work<unknown> {
    return this[verb](ask)
  }

  *lease_segment(ask: SegmentAsk): Work<SegmentGrant> {
    const { declared } = this.#setting
    const { store, now, floorMs, found, ends } = yield* this.#begin([this.#ask('tag', { tag: ask.tag })])
    const was = first(found[0], (row) => tagOf(row, ask.tag))
    const written = found[0]?.[0]?.['tag']
    if (typeof written === 'string' && written !== ask.tag) throw otherSpelling(ask.tag, written)
    const wanted = declared && wantedTag(declared, ask.tag, was, floorMs)
    const made = wanted && { steps: [...putTag(this.#dialect, ask.tag, wanted, was), ...ends], again: true as const }
    // Leaf's row and ours are made one after the other, so read the position again; then compare it with the declaration, even if another process made it.
    if (made !== undefined && (this.#dialect.putTag ?? declared?.commands) !== undefined) return made
    const tag = wanted ?? was
    if (tag === undefined || tag.deleted === true) throw this.#setting.unknown('tag', ask.tag)
    // A step that another program wrote.
    if (tag.step === 0) throw stepOfRow(ask.tag)
    try {
      const { row, grant, refused } = registry.lease_segment(store, tag, ask, now)
      const steps = [...putTag(this.#dialect, ask.tag, row, was), ...ends]
      return refused === undefined ? { steps, answer: grant } : { steps, refused }
    } catch (error) {
      // What is declared stands in the store, whatever is refused.
      if (made === undefined) throw error
      return made
    }
  }

  *acquire(ask: AcquireAsk): Work<WindowGrant> {
    const { namespace, owner, request } = ask
    const { store, now, floorMs, found, ends } = yield* this.#begin([
      this.#ask('namespace', { namespace }),
      this.#ask('mine', { namespace, key: key(request) }),
      this.#ask('own', { namespace, owner }),
      this.#ask('rested', { namespace, count: 1 }),
      this.#ask('kept', { namespace, count: 1 }),
    ])
    const before = this.#namespace(found[0], namespace)
    const change = yield* this.#settle(namespace, before, now, floorMs)
    if (change !== undefined && 'steps' in change) return { steps: [...change.steps, ...ends], again: true }
    if (change !== undefined) this.#setting.sees?.(change.made)
    const was = change?.made ?? before
    if (was === undefined) throw this.#setting.unknown('namespace', namespace)
    const read = (row: Columns) => workerOf(row, namespace)
    const [mine, rested, longestKept] = [found[1], found[3], found[4]].map((rows) => first(rows, read))
    const kept = (found[2] ?? []).map(read)
    const rows: registry.Found = { used_until: was.usedUntil, mine, own: kept[0], spare: kept[1], rested, kept: longestKept }
    let decided: registry.AcquiredFound
    try {
      decided = registry.acquire_found(store, was.row, rows, ask, now)
      while (decided.unused_from !== undefined) {
        // A new one has no rows.
        rows.unused = change === undefined ? yield* this.#firstUnused(namespace, decided.unused_from) : decided.unused_from
        decided = registry.acquire_found(store, was.row, rows, ask, now)
      }
    } catch (error) {
      // What is declared stands in the store, whatever is refused.
      if (change === undefined) throw error
      return { steps: [...putNamespace(this.#dialect, namespace, change.made), ...ends], again: true }
    }
    const { row, freed, grant, used_until: usedUntil } = decided
    const known = [mine, ...kept, rested, longestKept]
    const changed = (freed === undefined ? [row] : [freed, row]).flatMap((after) => {
      const had = known.find((row) => row?.worker === after.worker)
      return had !== undefined && isSameWorker(had, after) ? [] : [putWorker(this.#dialect, namespace, after, had)]
    })
    if (changed.length === 0) return { steps: [], answer: grant }
    const isSame = before !== undefined && usedUntil === before.usedUntil
    const own = isSame ? [sameNamespace(this.#dialect, namespace, before)] : putNamespace(this.#dialect, namespace, { ...was, usedUntil }, before)
    return { steps: [...own, ...changed, ...ends], answer: grant }
  }

  *renew(ask: RenewAsk): Work<WindowGrant> {
    const { store, now, floorMs, was, row, ends } = yield* this.#holder(ask)
    // A number that is declared away goes to nobody any more: its holder is told, and goes on to the end in hand.
    const declared = this.#setting.declared && wantedNamespace(this.#setting.declared, ask.namespace, was, floorMs)
    const namespace = declared === undefined ? was.row : { ...was.row, workers: declared.workers }
    const { row: after, grant, refused } = registry.renew(store, namespace, row ?? { worker: ask.worker }, ask, now)
    const steps = [sameNamespace(this.#dialect, ask.namespace, was), putWorker(this.#dialect, ask.namespace, after, row), ...ends]
    return refused === undefined ? { steps, answer: grant } : { steps, refused }
  }

  *release(ask: ReleaseAsk): Work<object> {
    const { store, was, row, ends } = yield* this.#holder(ask)
    const { row: after } = registry.release(store, row ?? { worker: ask.worker }, ask)
    return { steps: [sameNamespace(this.#dialect, ask.namespace, was), putWorker(this.#dialect, ask.namespace, after, row), ...ends], answer: {} }
  }

  *#holder({ namespace, worker }: RenewAsk | ReleaseAsk): Generator<readonly Query[], Begun & { was: Namespace; row: WorkerRow | undefined }, readonly Columns[][]> {
    checkWorker(worker)
    const begun = yield* this.#begin([this.#ask('namespace', { namespace }), this.#ask('worker', { namespace, worker })])
    const was = this.#namespace(begun.found[0], namespace)
    if (was === undefined) throw this.#setting.unknown('namespace', namespace)
    return { ...begun, was, row: first(begun.found[1], (row) => workerOf(row, namespace)) }
  }

  #namespace(rows: readonly Columns[] | undefined, name: string): Namespace | undefined {
    const found = first(rows, (row) => namespaceOf(row, name))
    if (found !== undefined) this.#setting.sees?.(found)
    return found
  }

  /** The lowest number from `from` on that was never handed out. */
  *#firstUnused(namespace: string, from: number): Generator<readonly Query[], number, readonly Columns[][]> {
    for (let next = from; ; ) {
      const [rows = []] = yield [this.#ask('unused', { namespace, from: next })]
      const told = rows[0]?.['unused']
      if (told !== undefined) return Number(told)
      // Those that were, in their order: what is missing is the answer.
      const used = rows.map((row) => Number(row['worker']))
      const missing = used.findIndex((worker, at) => worker !== next + at)
      if (missing >= 0) return next + missing
      if (used.length < STRETCH) return next + used.length
      next += used.length
    }
  }

  /** Reads what every decision wants, and these. */
  *#begin(queries: readonly Query[]): Generator<readonly Query[], Begun, readonly Columns[][]> {
    const { clock, hasVersion, judges, otherVersion } = this.#setting
    const names = ['meta', ...(clock === undefined ? ['now'] : []), ...(judges === undefined ? [] : ['settings']), ...(hasVersion ? ['version_is'] : [])]
    const head = names.map((name) => this.#ask(name))
    const all = yield [...head, ...queries]
    judges?.(all[names.indexOf('settings')]?.[0] ?? {})
    const meta = all[0]?.[0]
    const told = hasVersion ? (all[head.length - 1]?.[0]?.['version'] ?? 0) : meta?.['version']
    if (told !== undefined && Number(told) !== this.#dialect.version) throw otherVersion(Number(told))
    if (meta === undefined) throw new LeafidError('SCHEMA_MISMATCH', 'the table `meta` has no row, so the store has no id: look who changed it')
    const beatMs = Number(meta['beat_ms'])
    const time = clock === undefined ? this.#database(Number(Object.values(all[1]?.[0] ?? {})[0]), beatMs) : clock()
    const now = (this.#now = Math.max(this.#now, Math.floor(time)))
    const ends = beat(this.#dialect, now, beatMs)
    return { store: String(column(meta, 'store')), now, floorMs: Number(meta['floor_ms']), found: all.slice(head.length), ends }
  }

  /** The time of a database that says it is `told`. */
  #database(told: number, beatMs: number): number {
    if (this.#setting.hears !== undefined) return this.#setting.hears(told)
    const up = performance.now()
    this.#time ??= new AnchoredTime(beatMs, up)
    return this.#time.read(told, up)
  }

  /** What has to be written first for a namespace to be as it is declared; or the new one, which can be written with its first window. */
  *#settle(
    namespace: string,
    was: Namespace | undefined,
    now: number,
    floorMs: number,
  ): Generator<readonly Query[], { steps: Step[] } | { made: Namespace } | undefined, readonly Columns[][]> {
    const { declared } = this.#setting
    const wanted = declared && wantedNamespace(declared, namespace, was, floorMs)
    if (wanted === undefined) return undefined
    const { start, end } = wanted.workers
    if (was === undefined) {
      const made = { row: wanted, usedUntil: start }
      // Of one that somebody deleted there may still be numbers.
      const [left = []] = yield [this.#ask('workers', { namespace, after: -1, limit: 1 })]
      return left.length === 0 && declared?.commands === undefined ? { made } : { steps: putNamespace(this.#dialect, namespace, made) }
    }
    const [any = [], leaving = []] = yield [
      this.#ask('workers', { namespace, after: -1, limit: 1 }),
      this.#ask('leaving', { namespace, before_start: was.row.workers.start, before_end: was.row.workers.end, after_start: start, after_end: end }),
    ]
    const { layout, max_window_ms } = wanted
    const others = any.length === 0 ? [] : otherNamespace(namespace, { layout, max_window_ms }, was.row)
    if (others.length > 0) throw notAsDeclared('namespace', namespace, others, FIXED)
    const held = first(leaving, (row) => workerOf(row, namespace))
    const free = held === undefined ? 0 : timeOf(was, held)
    if (held !== undefined && free > now) {
      const message = `worker ${held.worker} of namespace \`${namespace}\` cannot leave the range yet: it is granted until ${new Date(free).toISOString()}`
      throw new LeafidError('WORKERS_EXHAUSTED', message, { until: free, retryAfter: free - now })
    }
    return { steps: putNamespace(this.#dialect, namespace, { row: wanted, usedUntil: yield* this.#firstUnused(namespace, start) }, was) }
  }
}

function stepOfRow(tag: string): LeafidError {
  const about = called(subject('tag', tag))
  return new LeafidError('STEP_INVALID', `${about} has a step of 0 or less in the store, and a lease would have no number; set it: leafid tag set ${tag} --step N`)
}

/** Another program's table may take several spellings for one name. */
function otherSpelling(tag: string, written: string): LeafidError {
  const message = `${called(subject('tag', tag))} is written ${quoted(written)} there, and both are one name to that table: use ${quoted(written)}`
  return new LeafidError('TAG_UNKNOWN', message)
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
