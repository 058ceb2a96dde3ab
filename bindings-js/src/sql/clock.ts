/** A larger step forward of the wall clock between two readings is not trusted at once. */
const LARGEST_STEP_MS = 60_000

/** A store's time: its source's while that can be trusted; never goes back. */
export class StoreClock {
  #now: number
  #source: number
  #up: number
  #distrustsUntil: number | undefined

  /** Begins at the latest time known to the store; `up` is ms on a monotonic clock. */
  constructor(anchor: number, source: number, up: number) {
    this.#now = Math.max(anchor, source)
    this.#source = source
    this.#up = up
  }

  /** The time now, in ms since 1970. Ignores a step of the source forward by over a minute for `longestWindow` ms. */
  read(source: number, up: number, longestWindow: () => number): number {
    // If the monotonic clock was set back, no time is known to have passed, and counting restarts from there.
    const elapsed = Math.max(up - this.#up, 0)
    const own = this.#now + elapsed
    const step = source - this.#source - elapsed
    this.#source = source
    this.#up = up
    if (step > LARGEST_STEP_MS && source > own) this.#distrustsUntil = up + longestWindow()
    const until = this.#distrustsUntil
    if (until !== undefined && (up >= until || source - own <= LARGEST_STEP_MS)) this.#distrustsUntil = undefined
    this.#now = this.#distrustsUntil === undefined ? Math.max(own, source) : own
    return this.#now
  }
}
