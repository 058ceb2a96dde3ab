import { LeafidError } from './errors.js'
import { listed, shown, shownAddress } from './shown.js'

export interface Known {
  names: readonly string[]
  /** The option that somebody may mean who passes a bare value, as in `did you mean { store: … }`. */
  bare?: (value: unknown) => string | undefined
  /** A bare string is not shown: it may be a secret. */
  isSecret?: boolean
  /** What is said of anything but an object: `options must be` by default. */
  called?: string
}

/**
 * Refuses options that would do nothing: an unknown name is most often a typo, and what it was meant to guard would go
 * unguarded. `REQUEST_INVALID`.
 */
export function checkOptions(options: unknown, known: Known): void {
  checkObject(options, known)
  checkNames(options, known.names, 'option')
}

/** Options are an object of their own, not the value of one. */
export function checkObject(options: unknown, { bare, isSecret = false, called = 'options must be' }: Known): asserts options is object {
  const meant = bare?.(options)
  const isObject = Object.prototype.toString.call(options) === '[object Object]'
  if (isObject && meant === undefined) return
  const text = isSecret && typeof options === 'string' ? 'a string' : shownAddress(options)
  const hint = meant === undefined ? '' : `: did you mean \`{ ${meant}: … }\`?`
  throw new LeafidError('REQUEST_INVALID', `${called} an object, got ${text}${hint}`)
}

export function checkFunction(given: unknown, name: string): void {
  if (typeof given !== 'function') throw new LeafidError('REQUEST_INVALID', `\`${name}\` must be a function, got ${shown(given)}`)
}

/** Refuses fields of other names; `kind` is what they are called. */
export function checkNames(given: object, names: readonly string[], kind: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new LeafidError('REQUEST_INVALID', `unknown ${kind} ${listed([unknown])}: ${kind}s are ${listed(names)}`)
}

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
