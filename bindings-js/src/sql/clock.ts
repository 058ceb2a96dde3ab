import { LeafidError } from '../values/errors.js'

/** A larger step forward of the wall clock between two readings is not trusted at once. */
const LARGEST_STEP_MS = 60_000
/** At the start, a wall clock further ahead of the last time known to a store is not trusted. */
const MOST_AHEAD_MS = 30 * 86_400_000
/** At the start, a wall clock further behind a store's last grant is not trusted. */
const MOST_BEHIND_MS = 86_400_000

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

/** Refuses a clock that no pause explains; `granted` is the latest grant's time, `seen` the store's last write. */
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
