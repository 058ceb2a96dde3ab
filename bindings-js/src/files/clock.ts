import { uptime } from 'node:os'
import { LeafidError } from '../values/errors.js'

/** A wall clock that steps forward by more than this between two readings is not believed at once. */
const LARGEST_STEP_MS = 60_000
/** A wall clock that stands further above the last time that a store knows is not believed at the start. */
const MOST_AHEAD_MS = 30 * 86_400_000
/** A wall clock that stands further below the last grant of a store is not believed at the start. */
const MOST_BEHIND_MS = 86_400_000

/** What time it is, and how long the machine has been up, in ms. */
export interface Clocks {
  wall(): number
  /** Goes on while the machine sleeps, and is set by nobody. */
  up(): number
}

export const MACHINE: Clocks = { wall: () => Date.now(), up: () => Math.floor(uptime() * 1_000) }

/** A store's time: the wall clock's as long as it can be believed, and never back. */
export class StoreClock {
  readonly #clocks: Clocks
  #now: number
  #wall: number
  #up: number
  #distrustsUntil: number | undefined

  /** Begins at the latest time of a grant. */
  constructor(anchor: number, clocks: Clocks) {
    this.#clocks = clocks
    this.#wall = clocks.wall()
    this.#up = clocks.up()
    this.#now = Math.max(anchor, this.#wall)
  }

  /** The time now. A step forward by more than a minute is not believed for `longestWindow` ms. */
  read(longestWindow: () => number): number {
    const [wall, up] = [this.#clocks.wall(), this.#clocks.up()]
    const elapsed = Math.max(up - this.#up, 0)
    const own = this.#now + elapsed
    const step = wall - this.#wall - elapsed
    this.#wall = wall
    this.#up = Math.max(up, this.#up)
    if (step > LARGEST_STEP_MS && wall > own) this.#distrustsUntil = this.#up + longestWindow()
    const until = this.#distrustsUntil
    if (until !== undefined && (up >= until || wall - own <= LARGEST_STEP_MS)) this.#distrustsUntil = undefined
    this.#now = this.#distrustsUntil === undefined ? Math.max(own, wall) : own
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
