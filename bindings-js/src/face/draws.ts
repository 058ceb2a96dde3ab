import type { Driver } from '../driver/driver.js'
import type { Handle } from '../driver/handle.js'
import { ASK_IS_DUE, theEngine } from '../engines/engine.js'
import { isShared } from './counts.js'
import type { Pool } from './pool.js'

/** The engine is given no larger piece at once: wasm copies it, and its memory never shrinks. */
const PIECE = 65_536

/** What the engine is given from here on: the array itself where it can be, for a view of it costs as much as 500 IDs. */
function piece(out: BigUint64Array, from: number): BigUint64Array {
  return from === 0 && out.length <= PIECE ? out : out.subarray(from, from + PIECE)
}

/** Draws from the pool and the engine; `undefined` is what the engine refuses. More is asked for when that is due. */
export class Draws {
  readonly #handle: Handle
  readonly #driver: Driver
  readonly #pool: Pool
  readonly #clock: () => number
  readonly #timed: boolean

  constructor(handle: Handle, driver: Driver, pool: Pool, clock: () => number, timed: boolean) {
    this.#handle = handle
    this.#driver = driver
    this.#pool = pool
    this.#clock = clock
    this.#timed = timed
  }

  /** One ID; the pool is filled for those that follow. */
  one(): bigint | undefined {
    const now = this.#clock()
    const pooled = this.#pool.nextAt(now)
    if (pooled !== undefined) return pooled
    this.#driver.look(now)
    const room = this.#pool.room(now)
    const told = this.#handle.fillAvailable(now, room)
    const count = told & ~ASK_IS_DUE
    // Whoever gets nothing asks for itself.
    if (count === 0) return undefined
    const goodUntil = count > 1 ? this.#handle.goodUntil() : 0
    this.#handle.note(room[count - 1]!)
    const id = this.#pool.filled(count, goodUntil)
    // Last, for whoever is asked may draw as well: a store, a hook, a caller that its answer serves.
    if (told !== count) this.#askAhead(now)
    return id
  }

  /** Whether `n` can be had at once. */
  isReady(n: number): true | undefined {
    // Snowflakes in the pool may be over before they are drawn: they do not count.
    const missing = this.#timed ? n : n - this.#pool.length
    return missing <= 0 || this.#handle.ready(this.#clock(), missing) || undefined
  }

  /** `n` IDs, or none. */
  take(n: number): bigint[] | undefined {
    const out = this.#all(n)
    return out && Array.from(out)
  }

  /** IDs for all of the array, or it is left as it was. One that was detached or resized while its caller waited is left alone. */
  fill(out: BigUint64Array, count: number): true | undefined {
    if (out.length !== count) return true
    return this.#all(count, out) && true
  }

  /** As many IDs as are at hand: how many. */
  fillAvailable(into: BigUint64Array): number | undefined {
    const now = this.#clock()
    this.#pool.freshen(now)
    const out = isShared(into) ? new BigUint64Array(into.length) : into
    let count = this.#pool.length > 0 ? this.#pool.moveTo(out) : 0
    while (count < out.length) {
      const told = this.#handle.fillAvailable(now, piece(out, count))
      const got = told & ~ASK_IS_DUE
      if (got === 0) break
      count += got
      this.#handle.note(out[count - 1]!)
      if (told !== got) this.#askAhead(now)
    }
    if (out !== into) into.set(out.subarray(0, count))
    return count || undefined
  }

  #all(n: number, into?: BigUint64Array): BigUint64Array | undefined {
    const now = this.#clock()
    this.#pool.freshen(now)
    const pooled = Math.min(this.#pool.length, n)
    const missing = n - pooled
    if (missing > PIECE && !this.#handle.ready(now, missing)) return undefined
    // An engine that can break may do so after some pieces, and others may write to shared memory meanwhile.
    const mayBreak = missing > PIECE && theEngine().rebuild !== undefined
    const out = into === undefined || mayBreak || isShared(into) ? new BigUint64Array(n) : into
    let told = 0
    for (let at = pooled; at < n; at += PIECE) {
      const next = piece(out, at)
      told = this.#handle.fill(now, next)
      if ((told & ~ASK_IS_DUE) === 0) return undefined
      this.#handle.note(next[next.length - 1]!)
    }
    if (pooled > 0) this.#pool.moveTo(out.subarray(0, pooled))
    if (into !== undefined && out !== into) into.set(out)
    // Last, for an answer may come at once, and stop the generator.
    if (told >= ASK_IS_DUE) this.#askAhead(now)
    return out
  }

  #askAhead(now: number): void {
    try {
      this.#driver.ask(now)
    } catch {
      // There is no store to ask: the next caller that finds no ID at hand is told.
    }
  }
}
