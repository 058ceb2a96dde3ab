import { accepted, subject, type Subject } from '../values/refusals.js'
import { respelled, type Refused } from '../engines/engine.js'
import { theRegistry } from '../engines/registry.js'
import type { Declarations } from '../stores/declared.js'
import type { Guest } from '../stores/guest.js'
import type { Changes } from '../stores/journal.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, Verb } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { worded } from '../values/fields.js'
import { quoted } from '../values/shown.js'
import { declaredFor, whole, type Declared } from './declared.js'
import { SQLITE, bytes, column, param, values, type Columns, type Dialect, type Query, type Step } from './text.js'

/** A store's settings. */
export interface Setting {
  /** The kind of database: SQLite by default. */
  dialect?: Dialect
  /** This store among the servers; absent where a store has no servers. */
  guest?: Guest
  /** Tags and namespaces declared in code; without it only the rows count. */
  declared?: Declared
  /** The time, in ms since 1970, which never goes back. */
  clock?(): number
  /** Without `clock`: the store's time from the database's time `told` and the store's last write at `beatMs`. */
  hears?(told: number, beatMs: number): number
  /** Checks the database's settings, as the statement `settings` reads them, with each ask. */
  judges?(settings: Columns): void
  /** Receives the longest window of each namespace that is read, in ms. */
  sees?(longestMs: number): void
  /** Whether a table contains the version of the tables: then it is checked with each ask. */
  hasVersion: boolean
  /** The store's place, as a command's `--store` takes it; absent if commands cannot reach it. */
  place?: string
  /** The error for tables of another version. */
  otherVersion(version: number): LeafidError
}

/** A decision: steps to write, then an answer or a refusal. Without either, the request starts over after the steps. */
export interface Decided<T> {
  steps: readonly Step[]
  answer?: T
  refused?: LeafidError
  /** Set if servers have to note the steps before the answer is told. */
  waits?: Waits
  /** Set if a journal has to, and before them. */
  changes?: Changes
  /** Called once the steps are written. */
  written?(): void
}

/** What a written decision waits for. */
export interface Waits {
  beat: string
  generation: number
}

/** Whether the servers have noted it; `again`: it has to be decided again. `last`: this store wrote nothing since. */
export interface Noted {
  noted: 'all' | 'some' | 'again'
  last: boolean
}

/** A decision that yields queries and gets their rows. */
export type Work<T> = Generator<readonly Query[], Decided<T>, readonly Columns[][]>

type Ask = SegmentAsk | AcquireAsk | RenewAsk | ReleaseAsk

/** A linked list: the engine reads objects by constant field names, and has no arrays. */
type Chain<T> = (T & { next?: Chain<T> }) | undefined
type Crossed = { text: string; must: Step['must']; params?: Chain<{ name: string; value?: string | number }> }

interface Turned {
  reads: readonly Query[]
  steps: readonly Step[]
  answer?: unknown
  waits?: Waits
  changes?: string
  refused?: { code: string; message: string; until?: number; retryAfter?: number }
}

const NOBODY = '0'.repeat(32)

/** Decides a request from the rows read so far. */
function turned(dialect: Dialect, verb: string, ask: object, call: { store: string; now: number; guest?: object | undefined; found: readonly Columns[][] }): Turned {
  const found = chain(call.found.map((rows) => ({ rows: chain(rows.map((row) => ({ columns: chain(values(row)) }))) })))
  const given = { ask: { value: ask, called: 'the ask' }, release: { value: ask, called: 'the ask' } }
  const { leaf } = dialect
  const answer = theRegistry()('turn', respelled(verb), [ask, { ...call, leaf, found }]) as { reads?: Chain<Crossed>; steps?: Chain<Crossed> } | Refused
  const { reads, steps, ...rest } = accepted(about(ask), answer, { given })
  const queries = listed(reads).map(({ text, params }) => queried(dialect, text, params))
  return { ...rest, reads: queries, steps: listed(steps).map(({ text, must, params }) => ({ ...queried(dialect, text, params), must })) }
}

function queried(dialect: Dialect, text: string, params: Crossed['params']): Query {
  return dialect.query(text, Object.fromEntries(listed(params).map(({ name, value }) => [name, param(name, value)])))
}

function about(ask: object): Subject {
  const { tag, namespace } = ask as { tag?: unknown; namespace?: unknown }
  return tag === undefined ? subject('namespace', namespace) : subject('tag', tag)
}

function chain<T extends object>(list: readonly T[]): Chain<T> {
  return list.reduceRight<Chain<T>>((next, each) => ({ ...each, ...(next === undefined ? {} : { next }) }), undefined)
}

function listed<T>(first: Chain<T>): T[] {
  const list: T[] = []
  for (let each = first; each !== undefined; each = each.next) list.push(each)
  return list
}

/** The steps that create the namespace `default` in a store without rows. */
export function makingDefault(dialect: Dialect, { namespaces = {} }: Declarations): readonly Step[] {
  const ask = { ...whole(namespaces['default'] ?? {}), namespace: 'default' }
  const found: Columns[][] = []
  for (;;) {
    const { reads, steps } = turned(dialect, 'createNamespace', ask, { store: NOBODY, now: 0, found })
    if (reads.length === 0) return steps
    found.push(...reads.map(() => []))
  }
}

/** Refuses a clock that no pause explains; `granted` is the latest grant's time, `seen` the store's last write. */
export function checkClock(now: number, granted: number, seen: number, clock = "this machine's clock"): void {
  const { refused } = turned(SQLITE, 'checkClock', { clock, now, granted, seen }, { store: NOBODY, now, found: [] })
  if (refused !== undefined) throw new LeafidError(refused.code, refused.message)
}

/** Requests over tables, decided by the engine. The caller reads for a decision, and writes all its steps or none. */
export class Works {
  readonly #setting: Setting
  readonly #dialect: Dialect

  constructor(setting: Setting) {
    this.#setting = setting
    this.#dialect = setting.dialect ?? SQLITE
  }

  *begin(verb: Verb, ask: Ask): Work<never> {
    const { clock, declared, hasVersion, hears, judges, otherVersion, sees } = this.#setting
    const said = declared && declaredFor(declared, verb, ask as never)
    const guest = this.#setting.guest?.asks()
    const turn = (store: string, now: number, found: readonly Columns[][]) => turned(this.#dialect, verb, { ...ask, ...said?.fields }, { store, now, guest, found })
    // The first queries need neither the store's id nor its time, so everything is read together.
    const first = turn(NOBODY, 0, []).reads
    const names = ['meta', ...(clock === undefined ? ['now'] : []), ...(judges === undefined ? [] : ['settings']), ...(hasVersion ? ['version_is'] : [])]
    const head = names.map((name) => this.#dialect.query(name))
    const all = yield [...head, ...first]
    judges?.(all[names.indexOf('settings')]?.[0] ?? {})
    const meta = all[0]?.[0]
    const told = hasVersion ? (all[head.length - 1]?.[0]?.['version'] ?? 0) : meta?.['version']
    if (told !== undefined && Number(told) !== this.#dialect.version) throw otherVersion(Number(told))
    if (meta === undefined) throw new LeafidError('SCHEMA_MISMATCH', 'the table `meta` has no row, so the store has no id: look who changed it')
    const beatMs = Number(meta['beat_ms'])
    const now = Math.floor(clock?.() ?? hears!(Number(Object.values(all[1]?.[0] ?? {})[0]), beatMs))
    const found = all.slice(head.length)
    for (;;) {
      const longest = found.flat().map((row) => Number(row['max_window_ms'] ?? 0))
      if (longest.length > 0) sees?.(Math.max(...longest))
      const store = String(column(meta, 'store'))
      const { reads, steps, answer, refused, waits, changes: text } = turn(store, now, found)
      if (reads.length > 0) {
        found.push(...(yield reads))
        continue
      }
      const noted = { ...(waits === undefined ? {} : { waits }), ...(text === undefined ? {} : { changes: { store, text } }) }
      const decided = { steps: steps.length === 0 ? [] : [...steps, ...this.#beat(now, beatMs)], ...noted }
      if (refused !== undefined) return { ...decided, refused: this.#refusal(refused) }
      return answer === undefined ? decided : { ...decided, answer: answer as never, written: () => said?.agreed() }
    }
  }

  /** Whether the servers have noted a decision; the refusal if it waits too long. */
  *noted(waits: Waits, isLate: boolean): Work<Noted> {
    const ask = { ...waits, guest: this.#setting.guest?.id, isLate }
    const found: Columns[][] = []
    for (;;) {
      const { reads, answer, refused } = turned(this.#dialect, 'noted', ask, { store: NOBODY, now: 0, found })
      if (refused !== undefined) return { steps: [], refused: this.#refusal(refused) }
      if (reads.length === 0) return { steps: [], answer: answer as Noted }
      found.push(...(yield reads))
    }
  }

  /** Raises rows to what a journal knows of them. */
  raising(known: string): Work<{ raised: number }> {
    return this.begin('raise' as never, { known } as never)
  }

  /** The step that removes this store's record, if it wrote nothing since. */
  leaving({ beat }: Waits): Step {
    return { ...this.#dialect.query('server_remove', { server: bytes(this.#setting.guest!.id), was_beat: beat }), must: 'nothing' }
  }

  /** The last step of a transaction that writes: records the store's write, where that is due. */
  #beat(now: number, beatMs: number): Step[] {
    return Math.abs(now - beatMs) < this.#dialect.beatEachMs ? [] : [{ ...this.#dialect.query('beat', { now }), must: 'nothing' }]
  }

  /** The engine's refusal; a command in it names this store. */
  #refusal({ code, message, ...when }: NonNullable<Turned['refused']>): LeafidError {
    const { place } = this.#setting
    const said = place === undefined ? message : message.replace(/`(leafid (?:tag|namespace) create \S+)`/, (_, command: string) => quoted(`${command} --store ${place}`))
    return new LeafidError(code, worded(said), when)
  }
}
