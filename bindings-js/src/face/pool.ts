const MOST = 1024
/** The largest pool of snowflakes: what may be dropped with its tick. */
const MOST_TIMED = 64
/** How many snowflakes of a burst are handed out for one look at the clock. */
const RUN = 16

/**
 * IDs that the engine gave in bulk, handed out one by one: a call into the engine costs more than
 * ten bigints.
 *
 * Numbers keep. A pool of them doubles with every filling, up to a sixteenth of the last range:
 * asking ahead then starts as early as without a pool, and a pool that is dropped is a small gap.
 *
 * Snowflakes do not keep: an ID's time is when it was drawn. Such a pool begins with one ID and
 * doubles only while fillings come within one millisecond; what it holds is handed out until the
 * tick of its first ID is over on the host's clock, the rest is then dropped. So nothing is wasted but
 * positions of a tick that is over, which nobody could use any more: while the generator runs ahead of
 * the clock in a burst, that tick is not over and nothing is dropped. `maxAheadMs` was looked at when
 * the pool was filled, and the store's time never goes back.
 *
 * The clock costs more than the ID. So once fillings are large, which takes a burst within one
 * millisecond, it is looked at for a run of IDs and not for each. A run ends with the turn of the
 * event loop that began it, or rather with its first wait: an ID that is drawn after one is never older
 * than its tick, and within a turn that waits for nothing at most a run of them is.
 */
export class Pool {
  readonly #timed: boolean
  readonly #clock: () => number
  readonly #ids: BigUint64Array
  readonly #views: BigUint64Array[] = []
  #at = 0
  /** Up to here they are handed out as they are: all of numbers, a run of snowflakes. */
  #end = 0
  /** Up to here there are some. */
  #filled = 0
  #goodUntil = Number.NEGATIVE_INFINITY
  /** The size of the next filling, a power of two. */
  #size = 1
  #most: number
  #filledAt = Number.NEGATIVE_INFINITY
  /** Whether a run may begin … */
  #mayRun = false
  /** … and where the last did. */
  #runFrom = 0
  /** Whether something waits for the end of the turn. */
  #isTurning = false
  dropped = 0

  constructor(timed: boolean, clock: () => number) {
    this.#timed = timed
    this.#clock = clock
    this.#most = timed ? MOST_TIMED : 1
    this.#ids = new BigUint64Array(timed ? MOST_TIMED : MOST)
  }

  /** The next ID, if there is one that is still timely. */
  next(): bigint | undefined {
    if (this.#at < this.#end) return this.#ids[this.#at++]
    return this.#at < this.#filled ? this.nextAt(this.#clock()) : undefined
  }

  /** The same at this reading of the clock. */
  nextAt(now: number): bigint | undefined {
    if (this.#at >= this.#end && (this.#at >= this.#filled || now >= this.#goodUntil)) return undefined
    const id = this.#ids[this.#at++]
    if (this.#at > this.#end && this.#mayRun) this.#run()
    return id
  }

  get length(): number {
    return this.#filled - this.#at
  }

  drop(): void {
    this.dropped += this.length
    this.#at = this.#end = this.#filled = 0
  }

  /** Starts over: what was here, and what was counted, is gone with the engine. */
  reset(): void {
    this.#at = this.#end = this.#filled = this.dropped = 0
  }

  /** Drops what is no longer timely at `now`; how many are left. */
  freshen(now: number): number {
    if (this.#timed && now >= this.#goodUntil) this.drop()
    return this.#filled - this.#at
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
    this.#filled = count
    this.#goodUntil = goodUntil
    this.#mayRun = this.#timed && count >= RUN
    if (!this.#timed) this.#end = count
    else if (this.#mayRun) this.#run()
    return this.#ids[0]!
  }

  /** Moves as many IDs that are timely at `now` to `out` as it has room for; returns how many. */
  moveTo(out: BigUint64Array, now: number): number {
    const count = Math.min(this.freshen(now), out.length)
    if (count === 0) return 0
    out.set(this.#ids.subarray(this.#at, this.#at + count))
    this.#at += count
    return count
  }

  /** The clock was just looked at: the next few need no look, in this turn. */
  #run(): void {
    this.#runFrom = this.#at
    this.#end = Math.min(this.#at + RUN - 1, this.#filled)
    if (this.#isTurning) return
    this.#isTurning = true
    void Promise.resolve().then(this.#turned)
  }

  /** The turn is over. A run of which nothing was used, as where each ID is awaited, was not worth its while. */
  readonly #turned = () => {
    this.#isTurning = false
    if (this.#at === this.#runFrom) this.#mayRun = false
    this.#end = Math.min(this.#end, this.#at)
  }
}
