/** The largest pool. */
const MOST = 1024
/** The largest pool of snowflakes: what may be dropped with its tick. */
const MOST_TIMED = 64

/**
 * IDs that the engine gave in bulk, handed out one by one: a call into the engine costs more than
 * ten bigints.
 *
 * Numbers keep. A pool of them doubles with every filling, up to a sixteenth of the last range:
 * asking ahead then starts as early as without a pool, and a pool that is dropped is a small gap.
 *
 * Snowflakes do not keep: an ID's time is when it was drawn. Such a pool begins with one ID and
 * doubles only while fillings come within one millisecond; what it holds is handed out until the
 * tick of its first ID is over on the host's clock, the rest is then dropped. So no ID is older
 * than its tick, and nothing is wasted but positions of a tick that is over, which nobody could use
 * any more: while the generator runs ahead of the clock in a burst, that tick is not over and nothing is
 * dropped. `maxAheadMs` was looked at when the pool was filled, and the store's time never goes back.
 */
export class Pool {
  readonly #timed: boolean
  readonly #clock: () => number
  readonly #ids: BigUint64Array
  readonly #views: BigUint64Array[] = []
  #at = 0
  #end = 0
  #goodUntil = Number.NEGATIVE_INFINITY
  /** The size of the next filling, a power of two. */
  #size = 1
  #most: number
  #filledAt = Number.NEGATIVE_INFINITY
  /** IDs that were dropped. */
  dropped = 0

  constructor(timed: boolean, clock: () => number) {
    this.#timed = timed
    this.#clock = clock
    this.#most = timed ? MOST_TIMED : 1
    this.#ids = new BigUint64Array(timed ? MOST_TIMED : MOST)
  }

  /** The next ID, if there is one that is still timely. */
  next(): bigint | undefined {
    if (this.#at < this.#end && (!this.#timed || this.#clock() < this.#goodUntil)) return this.#ids[this.#at++]
    return undefined
  }

  /** How many are here. */
  get length(): number {
    return this.#end - this.#at
  }

  /** Drops all of it. */
  drop(): void {
    this.dropped += this.#end - this.#at
    this.#at = this.#end = 0
  }

  /** Starts over: what was here, and what was counted, is gone with the engine. */
  reset(): void {
    this.#at = this.#end = this.dropped = 0
  }

  /** Drops what is no longer timely at `now`. */
  freshen(now: number): void {
    if (this.#timed && now >= this.#goodUntil) this.drop()
  }

  /** A range of this size was granted. */
  granted(size: number): void {
    if (!this.#timed) this.#most = Math.min(Math.max(1, size / 16), MOST)
  }

  /** Where the engine writes IDs now: drops what was here. */
  room(now: number): BigUint64Array {
    this.drop()
    const goesOn = !this.#timed || Math.floor(now) === this.#filledAt
    this.#size = goesOn ? Math.min(this.#size * 2, this.#most) : 1
    this.#filledAt = Math.floor(now)
    const power = 31 - Math.clz32(this.#size)
    return (this.#views[power] ??= this.#ids.subarray(0, 1 << power))
  }

  /** The engine gave `count` IDs, which are timely until `goodUntil`. Takes the first. */
  filled(count: number, goodUntil: number): bigint {
    this.#at = 1
    this.#end = count
    this.#goodUntil = goodUntil
    return this.#ids[0]!
  }

  /** Moves as many IDs to `out` as it has room for; returns how many. */
  moveTo(out: BigUint64Array): number {
    const count = Math.min(this.length, out.length)
    out.set(this.#ids.subarray(this.#at, this.#at + count))
    this.#at += count
    return count
  }
}
