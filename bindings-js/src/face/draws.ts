import type { Driver } from '../driver/driver.js'
import type { Handle } from '../driver/handle.js'
import { ASK_IS_DUE, theEngine } from '../engines/engine.js'
import type { Pool } from './pool.js'

/** The largest piece for an engine that can break (wasm): it copies, and its memory never shrinks. */
const PIECE = 65_536

/** Draws from the pool and the engine, `undefined` where the engine refuses, and asks for more when that is due. */
export class Draws {
  readonly #handle: Handle
  readonly #driver: Driver
  readonly #pool: Pool
  readonly #timed: boolean
  readonly #most = theEngine().rebuild === undefined ? Number.POSITIVE_INFINITY : PIECE

  constructor(handle: Handle, driver: Driver, pool: Pool, timed: boolean) {
    this.#handle = handle
    this.#driver = driver
    this.#pool = pool
    this.#timed = timed
  }

  /** Draws one ID, and fills the pool for the next ones. */
  one(): bigint | undefined {
    const now = this.#driver.now()
    const pooled = this.#pool.nextAt(now)
    if (pooled !== undefined) return pooled
    const room = this.#pool.room(now)
    const told = this.#handle.fillAvailable(now, room)
    const count = told & ~ASK_IS_DUE
    // A caller that gets nothing asks by itself.
    if (count === 0) return undefined
    const goodUntil = this.#timed && count > 1 ? this.#handle.goodUntil() : 0
    this.#handle.note(room, count)
    const id = this.#pool.filled(count, goodUntil)
    // Last, because an ask may cause others to draw: a store, a hook, a caller that the answer serves.
    if (told !== count) this.#askAhead(now)
    return id
  }

  isReady(n: number): true | undefined {
    // Snowflakes in the pool do not count: they may expire before they are drawn.
    const missing = this.#timed ? n : n - this.#pool.length
    return missing <= 0 || this.#handle.ask('ready', this.#driver.now(), missing) || undefined
  }

  take(n: number): bigint[] | undefined {
    const out = this.#all(n)
    return out && Array.from(out)
  }

  /** Fills the whole array or leaves it alone, also when it was detached or resized during the wait. */
  fill(out: BigUint64Array, count: number): true | undefined {
    if (out.length !== count) return true
    return this.#all(count, out) && true
  }

  /**
   * Fills any value that a caller passed, in one call of the engine; 0 where that does not do. A program that draws a
   * few hundred times is not compiled by then, and each function on the way costs it as much as 200 IDs.
   */
  fillAtOnce(out: BigUint64Array): number {
    if (this.#most === PIECE || this.#pool.length > 0) return 0
    const now = this.#driver.now()
    const told = this.#handle.fillSteadily(now, out)
    return told < ASK_IS_DUE ? told : this.#due(told, now)
  }

  /** As `fillAtOnce`, with as many IDs as are at hand: `fillAvailable` may find more behind them. */
  fillAvailableAtOnce(out: BigUint64Array): number {
    if (this.#most === PIECE || this.#pool.length > 0) return 0
    const now = this.#driver.now()
    const told = this.#handle.fillAvailableSteadily(now, out)
    return told < ASK_IS_DUE ? told : this.#due(told, now)
  }

  /** Adds as many IDs as are at hand behind the first `count`; returns the new count. */
  fillAvailable(into: BigUint64Array, count: number): number | undefined {
    const now = this.#driver.now()
    const out = isShared(into) ? new BigUint64Array(into.length) : into
    if (count === 0) count = this.#pool.moveTo(out, now)
    while (count < out.length) {
      const told = this.#handle.fillAvailable(now, this.#piece(out, count))
      const got = told & ~ASK_IS_DUE
      if (got === 0) break
      count += got
      this.#handle.note(out, count)
      if (told !== got) this.#askAhead(now)
    }
    if (out !== into) into.set(out.subarray(0, count))
    return count || undefined
  }

  #all(n: number, into?: BigUint64Array): BigUint64Array | undefined {
    const now = this.#driver.now()
    const pooled = Math.min(this.#pool.freshen(now), n)
    const missing = n - pooled
    if (missing > this.#most && !this.#handle.ask('ready', now, missing)) return undefined
    // A wasm engine may break after some pieces, and others may write to shared memory meanwhile.
    const out = into === undefined || missing > this.#most || isShared(into) ? new BigUint64Array(n) : into
    let told = 0
    for (let at = pooled; at < n; at += this.#most) {
      const next = this.#piece(out, at)
      told = this.#handle.fill(now, next)
      if ((told & ~ASK_IS_DUE) === 0) return undefined
      this.#handle.note(next, next.length)
    }
    if (pooled > 0) this.#pool.moveTo(out.subarray(0, pooled), now)
    if (into !== undefined && out !== into) into.set(out)
    // Last, because an answer may come at once, and stop the generator.
    if (told >= ASK_IS_DUE) this.#askAhead(now)
    return out
  }

  /** The array from `from` on, for the engine; the array itself if possible, as a view costs as much as 500 IDs. */
  #piece(out: BigUint64Array, from: number): BigUint64Array {
    return from === 0 && out.length <= this.#most ? out : out.subarray(from, from + this.#most)
  }

  /** Strips `ASK_IS_DUE`, and asks for more if any ID came. A caller that got nothing asks by itself. */
  #due(told: number, now: number): number {
    const count = told & ~ASK_IS_DUE
    if (count > 0) this.#askAhead(now)
    return count
  }

  #askAhead(now: number): void {
    try {
      this.#driver.ask(now)
    } catch {
      // No store to ask: the next caller without an ID at hand gets the error.
    }
  }
}

/** Whether others may change the array while the engine writes. */
function isShared(out: BigUint64Array): boolean {
  return !(out.buffer instanceof ArrayBuffer)
}
