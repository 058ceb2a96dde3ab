/** A larger step forward of the wall clock between two readings is not trusted at once. */
const LARGEST_STEP_MS = 60_000

/** Reads a store's time, in ms since 1970. */
export type StoreClock = (source: number, up: number, longestWindow: () => number) => number

/**
 * A store's time: its source's while that can be trusted; never goes back. Begins at the latest time known to the
 * store; `up` is ms on a monotonic clock. Ignores a step of the source forward by over a minute for `longestWindow` ms.
 */
export function storeClock(anchor: number, firstSource: number, firstUp: number): StoreClock {
  let now = Math.max(anchor, firstSource)
  let before = { source: firstSource, up: firstUp }
  let distrustsUntil: number | undefined
  return (source, up, longestWindow) => {
    // If the monotonic clock was set back, no time is known to have passed, and counting restarts from there.
    const elapsed = Math.max(up - before.up, 0)
    const own = now + elapsed
    const step = source - before.source - elapsed
    before = { source, up }
    if (step > LARGEST_STEP_MS && source > own) distrustsUntil = up + longestWindow()
    if (distrustsUntil !== undefined && (up >= distrustsUntil || source - own <= LARGEST_STEP_MS)) distrustsUntil = undefined
    now = distrustsUntil === undefined ? Math.max(own, source) : own
    return now
  }
}
