import { LeafidError } from '../values/errors.js'

/** A wall clock that steps forward by more than this between two readings is not believed at once. */
const LARGEST_STEP_MS = 60_000
/** A wall clock that stands further above the last time that a store knows is not believed at the start. */
const MOST_AHEAD_MS = 30 * 86_400_000
/** A wall clock that stands further below the last grant of a store is not believed at the start. */
const MOST_BEHIND_MS = 86_400_000

/** A store's time: its source's as long as that can be believed, and never back. */
export class StoreClock {
  #now: number
  #source: number
  #up: number
  #distrustsUntil: number | undefined

  /** Begins at the latest time that the store knows; `up` is ms on a clock that only ticks. */
  constructor(anchor: number, source: number, up: number) {
    this.#now = Math.max(anchor, source)
    this.#source = source
    this.#up = up
  }

  /** The time now, in ms since 1970. A step of the source forward by more than a minute is not believed for `longestWindow` ms. */
  read(source: number, up: number, longestWindow: () => number): number {
    // Where the ticking clock was set back, nothing is known to have passed, and it counts from there.
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

/** Refuses a clock that stands where no pause explains it; `granted` is the latest grant, `seen` the last time the store was written. */
export function checkClock(wall: number, granted: number, seen: number, clock = "this machine's clock"): void {
  const known = Math.max(granted, seen)
  if (granted <= 0) return
  const from = granted - wall > MOST_BEHIND_MS ? granted : wall - known > MOST_AHEAD_MS ? known : undefined
  if (from === undefined) return
  const days = Math.floor(Math.abs(wall - from) / 86_400_000)
  const [says, knows] = [new Date(wall).toISOString(), new Date(from).toISOString()]
  const side = wall > from ? 'after' : 'before'
  const message = `${clock} says ${says}, ${days} days ${side} the last time that this store has seen, ${knows}; IDs would carry a wrong time for good: set the clock, or, if it is right, start once: leafid serve --believe-clock`
  throw new LeafidError('STORE_REFUSED', message)
}
