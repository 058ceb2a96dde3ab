import { ASK_IS_DUE, theEngine, type RawStats, type Refused } from '../engines/engine.js'
import { LeafidError, advice, isPermanent, refusalError, shown } from '../values/errors.js'
import { theHost } from '../hosts/host.js'
import type { StoreOption } from '../stores/chosen.js'
import type { Verb } from '../stores/store.js'
import { Asking } from '../driver/driver.js'
import { Handle, check, type Plan } from '../driver/handle.js'
import { Pool } from './pool.js'
import { Deadline } from '../driver/deadline.js'

/** How long a caller waits when no IDs are at hand. */
const TIMEOUT_MS = 10_000
/** A waiting caller looks again after so long at first … */
const FIRST_PAUSE_MS = 1
/** … and after so long at last. */
const LAST_PAUSE_MS = 25
/** More are never had in one go. */
const MOST = 2 ** 31 - 1
/** The engine is given no larger piece at once: wasm copies it, and its memory never shrinks. */
const PIECE = 65_536

/** What both generators can be told. */
export interface GeneratorOptions {
  /** An address, or an object with the methods; `LEAFID_STORE` if not said. */
  store?: StoreOption
  /** How long `next` and `take` wait when no IDs are at hand, in ms: 10,000 if not said. */
  timeout?: number
  /** Milliseconds on a clock that only has to tick; the host's if not said. For tests. */
  clock?: () => number
}

/** What a generator did so far. Counters begin at 0. */
export type Stats = Record<'ids' | 'asks' | 'grants' | 'failures' | 'waits' | 'dropped' | 'gaps' | 'in_hand' | 'step', number> & {
  /** What to add to the host's clock for the store's time, in ms. */
  offset_ms: number
  /** Why the last ask failed, until one succeeds. */
  last_code: string | undefined
}

/** What `Segment` and `Snowflake` share: all but what they are built from. */
export abstract class BaseGenerator implements AsyncDisposable {
  readonly #what: string
  readonly #dry: string
  readonly #timed: boolean
  readonly #timeout: number
  readonly #clock: () => number
  readonly #handle: Handle
  readonly #pool: Pool
  readonly #asking: Asking
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(plan: Plan, verbs: readonly Verb[], options: GeneratorOptions) {
    const timed = plan.kind === 'snowflake'
    const { timeout = TIMEOUT_MS } = options
    if (typeof timeout !== 'number' || !(timeout >= 0)) {
      throw new LeafidError('REQUEST_INVALID', `the time-out ${shown(timeout)} is no number of ms: pass 0 or more`)
    }
    check(plan)
    this.#what = plan.what
    this.#timed = timed
    this.#dry = timed ? 'WINDOW_SPENT' : 'SEGMENT_DRY'
    this.#timeout = Math.min(timeout, MOST)
    this.#clock = options.clock ?? theHost().clock
    this.#pool = new Pool(timed, this.#clock)
    this.#handle = new Handle(plan, () => this.#pool.reset())
    this.#asking = new Asking(this.#handle, this.#clock, options.store, verbs, plan.what, {
      answered: () => this.#answered(),
      stopped: () => this.#pool.drop(),
    })
  }

  /** One ID. Waits up to the time-out when none is at hand, then `TIMED_OUT`; rejects at once for what waiting cannot cure. */
  next(): Promise<bigint> {
    const id = this.#pool.next()
    return id === undefined ? this.#wait(() => this.#draw(), 'no ID') : Promise.resolve(id)
  }

  /** One ID that is at hand. Throws `SEGMENT_DRY`, `WINDOW_SPENT`, `SEQUENCE_SPENT`, `CLOCK_BEHIND` where `next` would wait. */
  nextSync(): bigint {
    return this.#pool.next() ?? this.#now(() => this.#draw())
  }

  /** One ID as decimal text, as it has to be in JSON. */
  async nextString(): Promise<string> {
    return (this.#pool.next() ?? (await this.next())).toString()
  }

  /** One ID at hand as decimal text. */
  nextStringSync(): string {
    return this.nextSync().toString()
  }

  /** One ID as a number, with a layout or a tag whose IDs lie below 2^53; else `RANGE_INVALID`. */
  async nextNumber(): Promise<number> {
    const id = await this.next()
    if (id <= Number.MAX_SAFE_INTEGER) return Number(id)
    throw new LeafidError('RANGE_INVALID', `${shown(id)} is no exact number in JavaScript: use \`next\` or \`nextString\`, or the layout \`js53\``)
  }

  /** `n` IDs, ascending: all of them, or an error and nothing spent. Waits as `next` does. */
  async take(n: number): Promise<bigint[]> {
    const count = counted(n)
    return this.#wait(() => this.#takeAll(count), `not ${count} IDs in one go`)
  }

  /** `n` IDs that are at hand, ascending: all of them, or an error and nothing spent. */
  takeSync(n: number): bigint[] {
    const count = counted(n)
    return this.#now(() => this.#takeAll(count))
  }

  /**
   * Waits until `n` IDs are at hand, so that the next `n` calls of `nextSync` need not wait: for synchronous hooks. Nothing
   * is drawn, and nothing is kept for this caller: whoever draws meanwhile takes of the same. Waits as `next` does.
   */
  async ready(n: number): Promise<void> {
    const count = counted(n)
    await this.#wait(() => this.#isReady(count), `not ${count} IDs at hand`)
  }

  /** Fills the array with IDs, ascending: all of it, or an error and it is left as it was, with nothing spent. Waits as `next` does. */
  async fill(out: BigUint64Array): Promise<void> {
    const count = room(out)
    if (count > 0) await this.#wait(() => this.#fill(out, count), `not ${count} IDs in one go`)
    if (out.length !== count) throw changed(count, out)
  }

  /** Fills the array with IDs that are at hand, ascending: all of it, or an error and it is left as it was, with nothing spent. */
  fillSync(out: BigUint64Array): void {
    const count = room(out)
    if (count > 0) this.#now(() => this.#fill(out, count))
  }

  /** Fills the array with as many IDs as are at hand, ascending; returns how many. Throws as `nextSync` does if there is not one. */
  fillAvailable(out: BigUint64Array): number {
    return room(out) === 0 ? 0 : this.#now(() => this.#fillAvailable(out))
  }

  /** Stops: gives the rest of a window back; every later call is `CLOSED`. Waits for the store, at most 3 s. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** After a copied memory image (a restored snapshot): drops every right at once, and says nothing in the old name. */
  forget(): void {
    this.#pool.drop()
    this.#asking.forget()
    if (this.#handle.isBegun) this.#handle.do((engine, handle) => engine.forget(handle))
  }

  /** What it did so far. */
  stats(): Stats {
    if (!this.#handle.isBegun) return NOTHING_YET
    const raw: RawStats = this.#handle.do((engine, handle) => engine.stats(handle))
    const pooled = this.#pool.length
    return {
      ids: Number(raw.ids) - pooled - this.#pool.dropped,
      asks: Number(raw.asks),
      grants: Number(raw.grants),
      failures: Number(raw.failures),
      waits: Number(raw.waits),
      dropped: Number(raw.dropped) + this.#pool.dropped,
      gaps: Number(raw.gaps),
      in_hand: Number(raw.in_hand) + pooled,
      step: Number(raw.step),
      offset_ms: raw.offset_ms,
      last_code: raw.last_code,
    }
  }

  /** One from the engine, or `undefined` if it refuses. */
  #draw(): bigint | undefined {
    const pooled = this.#pool.next()
    if (pooled !== undefined) return pooled
    const now = this.#clock()
    this.#asking.look(now)
    const room = this.#pool.room(now)
    const told = this.#handle.do((engine, handle) => engine.fillAvailable(handle, now, room))
    const count = told & ~ASK_IS_DUE
    // Whoever gets nothing asks for itself.
    if (count === 0) return undefined
    if (told !== count) this.#ahead(now)
    const goodUntil = count > 1 ? this.#handle.do((engine, handle) => engine.goodUntil(handle)) : 0
    this.#handle.note(room[count - 1]!)
    return this.#pool.filled(count, goodUntil)
  }

  #isReady(n: number): true | undefined {
    const now = this.#clock()
    // Snowflakes in the pool may be over before they are drawn: they do not count.
    const missing = this.#timed ? n : n - this.#pool.length
    const ready = missing <= 0 || this.#handle.do((engine, handle) => engine.ready(handle, now, missing))
    return ready || undefined
  }

  #takeAll(n: number): bigint[] | undefined {
    const out = this.#all(n)
    return out && Array.from(out)
  }

  #fill(out: BigUint64Array, count: number): true | undefined {
    // An array that was detached or resized while its caller waited is left alone.
    if (out.length !== count) return true
    return this.#all(count, out) && true
  }

  /** `n` IDs, in `into` if it is said: all of them, or `undefined` and it is left as it was. */
  #all(n: number, into?: BigUint64Array): BigUint64Array | undefined {
    const now = this.#clock()
    this.#pool.freshen(now)
    const pooled = Math.min(this.#pool.length, n)
    const missing = n - pooled
    if (missing > PIECE && !this.#handle.do((engine, handle) => engine.ready(handle, now, missing))) return undefined
    // An engine that can break may do so after some pieces, and others may write to shared memory meanwhile.
    const mayBreak = missing > PIECE && theEngine().rebuild !== undefined
    const out = into === undefined || mayBreak || isShared(into) ? new BigUint64Array(n) : into
    let told = 0
    for (let at = pooled; at < n; at += PIECE) {
      const piece = out.subarray(at, at + PIECE)
      told = this.#handle.do((engine, handle) => engine.fill(handle, now, piece))
      if ((told & ~ASK_IS_DUE) === 0) return undefined
      this.#handle.note(piece[piece.length - 1]!)
    }
    this.#pool.moveTo(out.subarray(0, pooled))
    if (into !== undefined && out !== into) into.set(out)
    // Last, for an answer may come at once, and stop the generator.
    if (told >= ASK_IS_DUE) this.#ahead(now)
    return out
  }

  #fillAvailable(into: BigUint64Array): number | undefined {
    const now = this.#clock()
    this.#pool.freshen(now)
    const out = isShared(into) ? new BigUint64Array(into.length) : into
    let count = this.#pool.moveTo(out)
    while (count < out.length) {
      const piece = out.subarray(count, count + PIECE)
      const told = this.#handle.do((engine, handle) => engine.fillAvailable(handle, now, piece))
      const got = told & ~ASK_IS_DUE
      if (got === 0) break
      if (told !== got) this.#ahead(now)
      count += got
      this.#handle.note(out[count - 1]!)
    }
    if (out !== into) into.set(out.subarray(0, count))
    return count || undefined
  }

  /** What `attempt` gives, or why not. */
  #now<T>(attempt: () => T | undefined): T {
    const got = this.#begun(attempt)
    if (got !== undefined) return got
    const refused = this.#refused()
    this.#raiseCount(refused)
    if (this.#asking.ask(this.#clock()) === undefined) this.#raise(refused)
    else {
      // A store of the same process may have answered already.
      const granted = attempt()
      if (granted !== undefined) return granted
    }
    throw this.#error(this.#refused())
  }

  async #wait<T>(attempt: () => T | undefined, lacking: string): Promise<T> {
    let got = this.#begun(attempt)
    if (got !== undefined) return got
    const deadline = new Deadline(this.#timeout)
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LAST_PAUSE_MS)) {
        const refused = this.#refused()
        this.#raiseCount(refused)
        const now = this.#clock()
        // What was leased for this caller is tried by it first, before others take it all.
        const asked = this.#asking.ask(now, () => {
          if (!deadline.isOver) got ??= attempt()
        })
        if (asked !== undefined) await deadline.during(asked)
        else {
          this.#raise(refused)
          if (refused.until === undefined) await deadline.pause(pause, this.#asking.nextAnswer)
          else await deadline.pause(Math.min(Math.max(Number(refused.until) - now, 1), LAST_PAUSE_MS))
        }
        if (got === undefined && !deadline.isOver) got = attempt()
        if (got !== undefined) return got
        if (deadline.isOver) throw this.#timedOut(lacking)
      }
    } finally {
      deadline.done()
    }
  }

  /** The first try. At a Worker's module scope there is no randomness, and nothing may be asked for. */
  #begun<T>(attempt: () => T | undefined): T | undefined {
    if (this.#closing !== undefined) throw this.#error({ code: 'CLOSED' })
    if (this.#handle.isBegun) return attempt()
    try {
      this.#handle.do((engine, handle) => engine.wantsAsk(handle, 0))
    } catch (cause) {
      const message = `${this.#what} cannot begin: draw IDs inside a request, not at module scope`
      throw new LeafidError(this.#dry, message, { cause })
    }
    return attempt()
  }

  #refused(): Refused {
    if (this.#closing !== undefined) return { code: 'CLOSED' }
    const { ended, failure } = this.#asking
    if (ended && failure !== undefined) return { code: failure.code }
    return this.#handle.do((engine, handle) => engine.refusal(handle))
  }

  /** Throws what no answer of a store can cure: nothing is asked for because of it. */
  #raiseCount(refused: Refused): void {
    if (refused.code === 'COUNT_INVALID') throw this.#error(refused)
  }

  /** Throws what waiting cannot cure. */
  #raise(refused: Refused): void {
    if (isPermanent(refused.code)) throw this.#error(refused)
    if (refused.code !== this.#dry) return
    const failing = this.#handle.do((engine, handle) => engine.failing(handle))
    if (failing != null && isPermanent(failing)) throw this.#error({ code: failing })
  }

  /** An error with a stack of its own; it says why the store gave nothing, where that is the reason. */
  #error(refused: Refused): LeafidError {
    if (refused.code === 'COUNT_INVALID') {
      const most = this.#handle.do((engine, handle) => engine.most(handle))
      return new LeafidError('COUNT_INVALID', `${this.#what} gives at most ${most} IDs in one go: ${advice('COUNT_INVALID')}`)
    }
    const { failure } = this.#asking
    if (failure?.code === refused.code) {
      const { message, until, cause } = failure
      const retryAfter = this.#asking.retryAfter(this.#clock())
      return new LeafidError(refused.code, message, { until, retryAfter, cause: cause ?? failure })
    }
    const retryAfter = refused.until === undefined ? undefined : Math.max(Number(refused.until) - this.#clock(), 0)
    return refusalError(this.#what, refused, { retryAfter, cause: failure })
  }

  #timedOut(lacking: string): LeafidError {
    const { failure } = this.#asking
    const cause = failure ?? this.#error(this.#refused())
    const retryAfter = failure === undefined ? cause.retryAfter : this.#asking.retryAfter(this.#clock())
    const seconds = Math.ceil((retryAfter ?? 0) / 1000)
    const free = cause.code === 'WORKERS_EXHAUSTED' && seconds > 0 ? `, free again in ${seconds} s` : ''
    const message = `${this.#what} gave ${lacking} within ${this.#timeout} ms (${cause.code}${free}): ${cause.message}`
    return new LeafidError('TIMED_OUT', message, { until: cause.until, retryAfter, cause })
  }

  #ahead(now: number): void {
    try {
      this.#asking.ask(now)
    } catch {
      // There is no store to ask: whoever finds no ID at hand is told.
    }
  }

  #answered(): void {
    this.#handle.noteFacts()
    this.#pool.granted(Number(this.#handle.do((engine, handle) => engine.stats(handle)).step))
  }

  async #close(): Promise<void> {
    this.#pool.drop()
    this.#asking.end()
    if (!this.#handle.isBegun) return
    const release = this.#handle.do((engine, handle) => engine.retire(handle))
    if (release != null) await this.#asking.release(release)
    // A window that is still on its way is given back when it comes.
    const deadline = new Deadline(3_000)
    while (this.#asking.flying > 0 && !deadline.isOver) await deadline.pause(5)
    deadline.done()
  }
}

const NOTHING_YET: Stats = Object.freeze({
  ids: 0,
  asks: 0,
  grants: 0,
  failures: 0,
  waits: 0,
  dropped: 0,
  gaps: 0,
  in_hand: 0,
  step: 0,
  offset_ms: 0,
  last_code: undefined,
})

function room(out: BigUint64Array): number {
  if (out instanceof BigUint64Array) return out.length === 0 ? 0 : counted(out.length)
  throw new LeafidError('REQUEST_INVALID', `${shown(out)} is no BigUint64Array: pass one, or use \`take\``)
}

function changed(count: number, out: BigUint64Array): LeafidError {
  const message = `the array had room for ${count} IDs and has room for ${out.length} now: leave it alone until it is filled`
  return new LeafidError('REQUEST_INVALID', message)
}

/** Shared memory may be changed by others while the engine writes. */
function isShared(out: BigUint64Array): boolean {
  return !(out.buffer instanceof ArrayBuffer)
}

function counted(n: number): number {
  if (Number.isInteger(n) && n >= 1 && n <= MOST) return n
  throw new LeafidError('COUNT_INVALID', `${shown(n)} is no count: ask for 1 to ${MOST} IDs`)
}
