import { theHost } from '../hosts/host.js'
import type { StoreOption } from '../stores/chosen.js'
import { LeafidError } from '../values/errors.js'
import { isLayout, PRESETS } from '../values/layout.js'
import { checkFunction, checkOptions, ownClock, type Known } from '../values/options.js'
import { shown } from '../values/shown.js'

/** The default time-out, in ms. */
const TIMEOUT_MS = 10_000
/** The longest delay of a timer, in ms. */
const LONGEST_MS = 2 ** 31 - 1

/** The options that `Segment` and `Snowflake` share. */
export interface GeneratorOptions {
  /** An address, an object with the methods, or a function that gives one for each ask; `LEAFID_STORE` by default. */
  store?: StoreOption
  /** How long `next`, `take`, `fill` and `ready` wait for IDs, in milliseconds (5 s is `5_000`): 10,000 by default. */
  timeout?: number
  /** Called with each failure of a lease, also in the background. What it throws, or rejects with, is ignored. */
  onError?: (error: LeafidError) => void
  /** Milliseconds on a monotonic clock: the host's by default. For tests. */
  clock?: () => number
}

/** The options of one call that waits. */
export interface CallOptions {
  /** Ends the wait when aborted: the call rejects with its reason. What was leased meanwhile stays for others. */
  signal?: AbortSignal
}

const SHARED = ['store', 'timeout', 'onError', 'clock'] as const

/** The check of options for a generator that has these beside the shared ones. */
export function knownOptions(names: readonly string[]): Known {
  const bare = (value: unknown) => {
    if (names.includes('layout') && (isLayout(value) || PRESETS.has(value))) return 'layout'
    return isStoreLike(value) ? 'store' : undefined
  }
  return { names: [...SHARED, ...names], bare }
}

function isStoreLike(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'function' || value instanceof URL) return true
  if (typeof value !== 'object' || value === null) return false
  return ['leaseSegment', 'acquire'].some((verb) => typeof (value as Record<string, unknown>)[verb] === 'function')
}

/** The time-out in ms. `REQUEST_INVALID` for anything but 0 or more. */
export function timeoutOf({ timeout = TIMEOUT_MS }: GeneratorOptions): number {
  if (typeof timeout === 'number' && timeout >= 0) return Math.min(timeout, LONGEST_MS)
  throw new LeafidError('REQUEST_INVALID', `\`timeout\` must be a number of ms, 0 or more, got ${shown(timeout)}`)
}

/** The hook. `REQUEST_INVALID` for anything but a function. */
export function hookOf({ onError }: GeneratorOptions): (error: LeafidError) => void {
  if (onError === undefined) return () => {}
  checkFunction(onError, 'onError')
  return (error) => {
    // A failing hook must not fail the lease, nor end the process.
    try {
      const told: unknown = onError(error)
      if (told !== undefined) Promise.resolve(told).catch(() => {})
    } catch {}
  }
}

/** The clock: the host's by default. `REQUEST_INVALID` for no function, and for each reading that is no number. */
export function clockOf({ clock }: GeneratorOptions): () => number {
  return clock === undefined ? theHost().clock : ownClock(clock)
}

/** The signal of a call. `REQUEST_INVALID` for unknown options, and for anything but an AbortSignal. */
export function signalOf(options: CallOptions | undefined): AbortSignal | undefined {
  if (options === undefined) return undefined
  checkOptions(options, { names: ['signal'], bare: (value) => (isSignal(value) ? 'signal' : undefined) })
  const { signal } = options
  if (signal === undefined || isSignal(signal)) return signal
  throw new LeafidError('REQUEST_INVALID', `\`signal\` must be an AbortSignal, got ${shown(signal)}`)
}

function isSignal(value: unknown): boolean {
  return typeof (value as AbortSignal | null)?.addEventListener === 'function' && 'aborted' in (value as object)
}
