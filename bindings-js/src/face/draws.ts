import type { Driver } from '../driver/driver.js'
import type { Handle } from '../driver/handle.js'
import { ASK_IS_DUE } from '../engines/engine.js'
import type { Pool } from './pool.js'

/** The largest piece: it is copied from the engine's memory, which never shrinks. */
const PIECE = 65_536

/** Draws from the pool and the engine, `undefined` where the engine refuses, and asks for more when that is due. */
export class Draws {
  readonly #handle: Handle
  readonly #driver: Driver
  readonly #pool: Pool
  readonly #timed: boolean

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
    const goodUntil = this.#timed && count > 1 ? this.#handle.ask('goodUntil') : 0
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

  /** Fills the array with as many IDs as are at hand; returns how many. */
  fillAvailable(out: BigUint64Array): number | undefined {
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

  #all(n: number, into?: BigUint64Array): BigUint64Array | undefined {
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
