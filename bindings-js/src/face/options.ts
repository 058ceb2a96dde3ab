import type { StoreOption } from '../stores/chosen.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

/** How long a caller waits when no IDs are at hand. */
const TIMEOUT_MS = 10_000
/** Timers sleep no longer. */
const LONGEST_MS = 2 ** 31 - 1

/** The options of both generators. */
export interface GeneratorOptions {
  /** An address, or an object with the methods; `LEAFID_STORE` by default. */
  store?: StoreOption
  /** How long `next` and `take` wait when no IDs are at hand, in ms: 10,000 by default. */
  timeout?: number
  /** Milliseconds on a clock that only has to tick: the host's by default. For tests. */
  clock?: () => number
}

/** The time-out in ms. `REQUEST_INVALID` for anything but 0 or more. */
export function timeoutOf({ timeout = TIMEOUT_MS }: GeneratorOptions): number {
  if (typeof timeout === 'number' && timeout >= 0) return Math.min(timeout, LONGEST_MS)
  throw new LeafidError('REQUEST_INVALID', `\`timeout\` must be a number of ms, 0 or more, got ${shown(timeout)}`)
}
