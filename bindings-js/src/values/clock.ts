import { LeafidError } from './errors.js'
import { checkFunction } from './options.js'
import { shown } from './shown.js'

/** Beyond it, whole milliseconds cannot be told apart. */
const FARTHEST = 2 ** 53

/** A user's clock, whose readings are numbers. `REQUEST_INVALID` for anything but a function, and for each reading that is none. */
export function ownClock(clock: () => number): () => number {
  checkFunction(clock, 'clock')
  return () => {
    const now = reading(clock)
    if (typeof now === 'number' && Math.abs(now) <= FARTHEST) return now
    throw new LeafidError('REQUEST_INVALID', `\`clock\` must return a number of ms from -2^53 to 2^53, got ${shown(now)}`)
  }
}

function reading(clock: () => unknown): unknown {
  try {
    return clock()
  } catch (cause) {
    throw new LeafidError('REQUEST_INVALID', `\`clock\` failed with ${shown(cause)}: it must return a number of ms`, { cause })
  }
}
