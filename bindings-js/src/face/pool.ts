const MOST = 1024
/** The largest pool of snowflakes, and so the most that are dropped with their tick. */
const MOST_TIMED = 64
/** How many snowflakes of a burst are handed out per reading of the clock. */
const RUN = 16

/**
 * IDs that the engine gave in bulk, handed out one by one: a call into the engine costs more than ten bigints.
 *
 * Numbers keep. Their pool doubles with every filling, up to a sixteenth of the last range: so the next range is asked
 * for as early as without a pool, and a dropped pool is a small gap.
 *
 * Snowflakes do not keep: an ID's time must be when it was drawn. Their pool begins with one ID, and doubles only while
 * fillings come within one millisecond. Its IDs are handed out until the tick of the first is over on the host's clock;
 * the rest is dropped, which wastes only positions of a tick that is past already. While the generator runs ahead
 * of the clock in a burst, that tick is not over, and nothing is dropped. `maxAheadMs` was checked when the pool was
 * filled, and the store's time never goes back.
 *
 * Reading the clock costs more than the ID. So once fillings are large, in a burst within one millisecond, it is read
 * once for a run of IDs. A run ends with the turn of the event loop that began it: an ID drawn after an `await` is
 * never older than its tick, and within one turn at most one run of IDs is.
 */
export class Pool {
  readonly #timed: boolean
  readonly #clock: () => number
  readonly #ids: BigUint64Array
  readonly #views: BigUint64Array[] = []
  #at = 0
  /** IDs before this index are handed out without a check: all numbers, or a run of snowflakes. */
  #end = 0
  /** The number of IDs in the array. */
  #filled = 0
  #goodUntil = Number.NEGATIVE_INFINITY
  /** The size of the next filling, a power of two. */
  #size = 1
  #most: number
  #filledAt = Number.NEGATIVE_INFINITY
  /** Whether a run may begin, and where the last one did. */
  #mayRun = false
  #runFrom = 0
  /** Whether `#turned` is scheduled for the end of the turn. */
  #isTurning = false
  dropped = 0

  constructor(timed: boolean, clock: () => number) {
    this.#timed = timed
    this.#clock = clock
    this.#most = timed ? MOST_TIMED : 1
    this.#ids = new BigUint64Array(timed ? MOST_TIMED : MOST)
  }

  /** The next ID, if there is one that is not expired. */
  next(): bigint | undefined {
    if (this.#at < this.#end) return this.#ids[this.#at++]
    return this.#at < this.#filled ? this.nextAt(this.#clock()) : undefined
  }

  /** As `next`, at this reading of the clock. */
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

  /** Starts over: the IDs and counters are gone with the engine. */
  reset(): void {
    this.#at = this.#end = this.#filled = this.dropped = 0
  }

  /** Drops the IDs if they are expired at `now`; returns how many are left. */
  freshen(now: number): number {
    if (this.#timed && now >= this.#goodUntil) this.drop()
    return this.#filled - this.#at
  }

  /** A range of this size was granted. */
  granted(size: number): void {
    if (!this.#timed) this.#most = Math.min(Math.max(1, size / 16), MOST)
  }

  /** Drops the IDs, and gives the engine room for the next filling. */
  room(now: number): BigUint64Array {
    this.drop()
    const goesOn = !this.#timed || Math.floor(now) === this.#filledAt
    this.#size = goesOn ? Math.min(this.#size * 2, this.#most) : 1
    this.#filledAt = Math.floor(now)
    const power = 31 - Math.clz32(this.#size)
    return (this.#views[power] ??= this.#ids.subarray(0, 1 << power))
  }

  /** Takes over `count` IDs, which expire at `goodUntil`, and returns the first. */
  filled(count: number, goodUntil: number): bigint {
    this.#at = 1
    this.#filled = count
    this.#goodUntil = goodUntil
    this.#mayRun = this.#timed && count >= RUN
    if (!this.#timed) this.#end = count
    else if (this.#mayRun) this.#run()
    return this.#ids[0]!
  }

  /** Moves as many unexpired IDs to `out` as it has room for; returns how many. */
  moveTo(out: BigUint64Array, now: number): number {
    const count = Math.min(this.freshen(now), out.length)
    if (count === 0) return 0
    out.set(this.#ids.subarray(this.#at, this.#at + count))
    this.#at += count
    return count
  }

  /** Begins a run: the next few IDs need no reading of the clock, in this turn. */
  #run(): void {
    this.#runFrom = this.#at
    this.#end = Math.min(this.#at + RUN - 1, this.#filled)
    if (this.#isTurning) return
    this.#isTurning = true
    void Promise.resolve().then(this.#turned)
  }

  /** Ends the run with the turn. No more runs begin if it was unused, as where each ID is awaited. */
  readonly #turned = () => {
    this.#isTurning = false
    if (this.#at === this.#runFrom) this.#mayRun = false
    this.#end = Math.min(this.#end, this.#at)
  }
}
