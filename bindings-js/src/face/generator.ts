/// <reference lib="esnext.disposable" preserve="true" />
import { sleep } from '../driver/deadline.js'
import { Driver } from '../driver/driver.js'
import { check, Handle, type Plan } from '../driver/handle.js'
import { Waiting } from '../driver/waiting.js'
import { ASK_IS_DUE, type RawStats } from '../engines/engine.js'
import { chosenStore, duringTest, type Chosen } from '../stores/chosen.js'
import { enlist, realm } from '../stores/realm.js'
import type { Verb } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import type { IdOf, IdTextOf } from '../values/id.js'
import { shown } from '../values/shown.js'
import { clockOf, hookOf, signalOf, timeoutOf, type CallOptions, type GeneratorOptions } from './options.js'
import { Pool } from './pool.js'

/** How long `close` waits for an ask under way, in ms. */
const CLOSE_MS = 3_000
/** How often `close` checks, in ms. */
const LOOK_MS = 5

/** The largest piece: it is copied from the engine's memory, which never shrinks. */
const PIECE = 65_536

/** The common part of `Segment` and `Snowflake`. */
export abstract class BaseGenerator<Kind extends string = never> implements AsyncDisposable {
  #handle!: Handle
  #pool!: Pool
  #driver!: Driver
  readonly #waiting: Waiting
  readonly #chosen: Chosen
  /** Whether IDs have a time: a snowflake's, which gives its window back. */
  readonly #isTimed: boolean
  readonly #begin: () => void
  #closing: Promise<void> | undefined
  /** Whether it is closed for good. One that was closed in a test opens again after the test. */
  #isOver = false

  /** @internal */
  constructor(plan: Plan, verbs: readonly Verb[], options: GeneratorOptions) {
    const timeout = timeoutOf(options)
    const failed = hookOf(options)
    const clock = clockOf(options)
    check(plan)
    const chosen = chosenStore(options.store, verbs)
    const timed = plan.kind === 'snowflake'
    this.#isTimed = timed
    this.#chosen = chosen
    this.#waiting = new Waiting(plan.subject, timeout, timed ? 'WINDOW_SPENT' : 'SEGMENT_DRY')
    this.#begin = () => {
      const route = duringTest(chosen)
      // Tests leave state files alone.
      const handle = new Handle(route === chosen ? plan : { ...plan, state: undefined }, () => pool.reset())
      const driver = new Driver(handle, clock, route, {
        answered: () => {
          handle.noteAnswer()
          if (!timed) pool.granted(Number(handle.ask('stats').step))
          this.#waiting.serve()
        },
        failed,
        stopped: () => pool.drop(),
      })
      const pool = new Pool(timed, driver.now)
      this.#pool = pool
      this.#handle = handle
      this.#driver = driver
      this.#waiting.drawBy(handle, driver)
    }
    this.#begin()
    if (!realm.memories.has(chosen.option as object)) enlist(this.#again)
  }

  /** Called when a test begins or ends: gives back what the generator holds, and goes on with the store that counts now. */
  readonly #again = (): void => {
    if (this.#isOver) return
    void this.#end(false)
    this.#waiting.isClosed = false
    this.#closing = undefined
    this.#begin()
  }

  /** Looks for the store, as the first ID does otherwise, and asks it for nothing. `REQUEST_INVALID` if there is none. */
  check(): void {
    duringTest(this.#chosen).store()
  }

  /** One ID. If none is at hand, waits up to the time-out: `TIMED_OUT`. Rejects at once if waiting cannot help. */
  next(options?: CallOptions): Promise<IdOf<Kind>> {
    const id = options === undefined ? this.#pool.next() : undefined
    return (id === undefined ? this.#nextOr(options) : Promise.resolve(id)) as Promise<IdOf<Kind>>
  }

  /** One ID at hand. Throws `SEGMENT_DRY`, `WINDOW_SPENT`, `SEQUENCE_SPENT`, `CLOCK_BEHIND` where `next` would wait. */
  nextSync(): IdOf<Kind> {
    return (this.#pool.next() ?? this.#nextNow()) as IdOf<Kind>
  }

  /** One ID as decimal text, as JSON needs it. */
  async nextString(options?: CallOptions): Promise<IdTextOf<Kind>> {
    return ((options === undefined ? this.#pool.next() : undefined) ?? (await this.next(options))).toString() as IdTextOf<Kind>
  }

  /** One ID at hand as decimal text. */
  nextStringSync(): IdTextOf<Kind> {
    return this.nextSync().toString() as IdTextOf<Kind>
  }

  /** One ID as a number, if the layout's or the tag's IDs lie below 2^53; else `RANGE_INVALID`. */
  async nextNumber(options?: CallOptions): Promise<number> {
    const id = await this.next(options)
    if (id <= Number.MAX_SAFE_INTEGER) return Number(id)
    const cure = 'use `next` or `nextString`, or the layout `js53`'
    throw new LeafidError('RANGE_INVALID', `the ID ${shown(id)} is too large for an exact number, which ends at 2^53: ${cure}`)
  }

  /** `n` IDs, ascending: all of them, or an error and nothing spent. Waits as `next` does. */
  async take(n: number, options?: CallOptions): Promise<IdOf<Kind>[]> {
    const count = counted(n)
    if (count === 0) return []
    const taken = this.#waiting.wait(count, () => this.#drawAll(count), notAtOnce(count), signalOf(options))
    return taken as Promise<IdOf<Kind>[]>
  }

  /** `n` IDs that are at hand, ascending: all of them, or an error and nothing spent. */
  takeSync(n: number): IdOf<Kind>[] {
    const count = counted(n)
    if (count === 0) return []
    return this.#waiting.now(() => this.#drawAll(count)) as IdOf<Kind>[]
  }

  /**
   * Waits until `n` IDs are at hand, as `next` does, so that `nextSync` can give them: for synchronous hooks. Nothing
   * is drawn or reserved: other callers draw from the same IDs meanwhile.
   */
  async ready(n: number, options?: CallOptions): Promise<void> {
    const count = counted(n)
    if (count === 0) return
    await this.#waiting.wait(count, () => this.#isReady(count), `did not have ${count} IDs at hand`, signalOf(options))
  }

  /** Fills the array with IDs, ascending: all of it, or an error with nothing written or spent. Waits like `next`. */
  async fill(out: BigUint64Array, options?: CallOptions): Promise<void> {
    const count = room(out)
    const signal = signalOf(options)
    if (count > 0) await this.#waiting.wait(count, () => this.#drawInto(out, count), notAtOnce(count), signal)
    if (out.length !== count) throw resized(count, out)
  }

  /** Fills the array with IDs at hand, ascending: all of it, or an error with nothing written or spent. */
  fillSync(out: BigUint64Array): void {
    const count = room(out)
    if (count > 0) this.#waiting.now(() => this.#drawInto(out, count))
  }

  /** Fills the array with the IDs at hand, ascending; returns how many. Throws as `nextSync` does if there is none. */
  fillAvailable(out: BigUint64Array): number {
    return room(out) === 0 ? 0 : this.#waiting.now(() => this.#drawAvailable(out))
  }

  /**
   * Stops: gives the rest of a window back, waiting at most 3 s for the store; every later call is `CLOSED`. A window
   * in a state file is kept for the next run, unless `release` is set: for a process that will not come back.
   */
  close(options?: { release?: boolean }): Promise<void> {
    this.#waiting.isClosed = true
    this.#isOver ||= realm.test === undefined
    return (this.#closing ??= this.#end(options?.release === true))
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** IDs one after another, as `next` gives them, without end: `for await (const id of ids)`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<IdOf<Kind>, never, void> {
    for (;;) yield await this.next()
  }

  /** For a copied memory image (a restored snapshot): drops all unused IDs at once, and tells the store nothing. */
  forget(): void {
    this.#pool.drop()
    this.#driver.forget()
    if (!this.#handle.isBegun) return
    this.#handle.ask('forget')
    this.#driver.voidState()
  }

  /** The counters and state of this generator. */
  stats(): Stats {
    return statsOf(this.#handle.isBegun ? this.#handle.ask('stats') : {}, this.#pool.length, this.#pool.dropped)
  }

  // A function of its own: a closure in the fast path would cost each call 24 bytes.
  async #nextOr(options: CallOptions | undefined): Promise<bigint> {
    return this.#waiting.wait(1, () => this.#drawOne(), 'gave no ID', signalOf(options))
  }

  #nextNow(): bigint {
    return this.#waiting.now(() => this.#drawOne())
  }

  async #end(givesUp: boolean): Promise<void> {
    // After a wait, these may be others.
    const [handle, driver] = [this.#handle, this.#driver]
    this.#pool.drop()
    driver.end()
    if (!handle.isBegun) return
    const release = givesUp ? handle.giveUp() : handle.ask('retire')
    await driver.endSaving()
    if (release != null) await driver.release(release)
    // A window still under way is given back when it comes; a range need not be.
    let isOver = !this.#isTimed
    const timer = setTimeout(() => (isOver = true), CLOSE_MS)
    while (driver.flying > 0 && !isOver) await sleep(LOOK_MS)
    clearTimeout(timer)
  }

  /** Draws one ID, and fills the pool for the next ones. */
  #drawOne(): bigint | undefined {
    const now = this.#driver.now()
    const pooled = this.#pool.nextAt(now)
    if (pooled !== undefined) return pooled
    const room = this.#pool.room(now)
    const told = this.#handle.fillAvailable(now, room)
    const count = told & ~ASK_IS_DUE
    // A caller that gets nothing asks by itself.
    if (count === 0) return undefined
    const goodUntil = this.#isTimed && count > 1 ? this.#handle.ask('goodUntil') : 0
    const id = this.#pool.filled(count, goodUntil)
    // Last, because an ask may cause others to draw: a store, a hook, a caller that the answer serves.
    if (told !== count) this.#askAhead(now)
    return id
  }

  #isReady(n: number): true | undefined {
    // Snowflakes in the pool do not count: they may expire before they are drawn.
    const missing = this.#isTimed ? n : n - this.#pool.length
    return missing <= 0 || this.#handle.ask('ready', this.#driver.now(), missing) || undefined
  }

  #drawAll(n: number): bigint[] | undefined {
    const out = this.#allOf(n)
    return out && Array.from(out)
  }

  /** Fills the whole array or leaves it alone, also when it was detached or resized during the wait. */
  #drawInto(out: BigUint64Array, count: number): true | undefined {
    if (out.length !== count) return true
    return this.#allOf(count, out) && true
  }

  /** Fills the array with as many IDs as are at hand; returns how many. */
  #drawAvailable(out: BigUint64Array): number | undefined {
    const now = this.#driver.now()
    let count = this.#pool.moveTo(out, now)
    while (count < out.length) {
      const told = this.#handle.fillAvailable(now, this.#piece(out, count))
      const got = told & ~ASK_IS_DUE
      if (got === 0) break
      count += got
      if (told !== got) this.#askAhead(now)
    }
    return count || undefined
  }

  #allOf(n: number, into?: BigUint64Array): BigUint64Array | undefined {
    const now = this.#driver.now()
    const pooled = Math.min(this.#pool.freshen(now), n)
    const missing = n - pooled
    if (missing > PIECE && !this.#handle.ask('ready', now, missing)) return undefined
    // The engine may break after some pieces.
    const out = into === undefined || missing > PIECE ? new BigUint64Array(n) : into
    let told = 0
    for (let at = pooled; at < n; at += PIECE) {
      told = this.#handle.fill(now, this.#piece(out, at))
      if ((told & ~ASK_IS_DUE) === 0) return undefined
    }
    if (pooled > 0) this.#pool.moveTo(out.subarray(0, pooled), now)
    if (into !== undefined && out !== into) into.set(out)
    // Last, because an answer may come at once, and stop the generator.
    if (told >= ASK_IS_DUE) this.#askAhead(now)
    return out
  }

  /** The array from `from` on, for the engine; the array itself if possible, as a view costs as much as 500 IDs. */
  #piece(out: BigUint64Array, from: number): BigUint64Array {
    return from === 0 && out.length <= PIECE ? out : out.subarray(from, from + PIECE)
  }

  #askAhead(now: number): void {
    try {
      this.#driver.ask(now)
    } catch {
      // No store to ask: the next caller without an ID at hand gets the error.
    }
  }
}

function notAtOnce(count: number): string {
  return `did not give ${count} ${count === 1 ? 'ID' : 'IDs at once'}`
}

const MOST = 2 ** 31 - 1

/** Checks a count of IDs: `COUNT_INVALID` for anything but 0 to 2^31 - 1. */
function counted(n: number): number {
  if (Number.isInteger(n) && n >= 0 && n <= MOST) return n
  throw new LeafidError('COUNT_INVALID', `the count must be a whole number from 0 to ${MOST}, got ${shown(n)}`)
}

/** The room in an array, in IDs. `REQUEST_INVALID` for anything but a BigUint64Array. */
function room(out: BigUint64Array): number {
  // An array from another realm (a `vm` context, a frame) has another class but the same tag.
  if (out instanceof BigUint64Array || (ArrayBuffer.isView(out) && out[Symbol.toStringTag] === 'BigUint64Array')) return counted(out.length)
  throw new LeafidError('REQUEST_INVALID', `expected a BigUint64Array, got ${shown(out)}: pass one, or use \`take\``)
}

/** The error of an array that was detached or resized during the wait. */
function resized(count: number, out: BigUint64Array): LeafidError {
  const message = `the array had room for ${count} IDs and has room for ${out.length} now: leave it alone until it is filled`
  return new LeafidError('REQUEST_INVALID', message)
}

const COUNTERS = ['ids', 'asks', 'grants', 'failures', 'waits', 'dropped', 'gaps', 'inHand', 'step'] as const
type Counters = Record<(typeof COUNTERS)[number], number>

/** Counters, which begin at 0, and state of a generator. */
export type Stats = Counters & {
  /** The host's clock plus this is the store's time, in ms. */
  offsetMs: number
  /** The code of the last ask's failure, until one succeeds. */
  lastCode: string | undefined
  /** `STATE_INVALID` if the state file was abandoned; `undefined` while it is kept, or there is none. */
  stateCode: string | undefined
}

/** The engine's counters, zero before its first use, without the IDs in the pool: not handed out yet, or dropped. */
function statsOf(raw: Partial<RawStats>, pooled: number, dropped: number): Stats {
  const counters = Object.fromEntries(COUNTERS.map((name) => [name, Number(raw[name] ?? 0)])) as Counters
  counters.ids -= pooled + dropped
  counters.dropped += dropped
  counters.inHand += pooled
  return { ...counters, offsetMs: raw.offsetMs ?? 0, lastCode: raw.lastCode, stateCode: raw.stateCode }
}
