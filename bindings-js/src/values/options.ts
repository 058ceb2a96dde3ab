import { LeafidError } from './errors.js'
import { listed, shown, shownAddress } from './shown.js'

export interface Known {
  names: readonly string[]
  /** The option that a bare value was meant for, as in `did you mean { store: … }`. */
  bare?: (value: unknown) => string | undefined
  /** Whether to hide a bare string, which may be a secret. */
  isSecret?: boolean
  /** The start of the message for anything but an object: `options must be` by default. */
  called?: string
}

/**
 * Refuses unknown options, which would do nothing: most are typos, and the intended guard would be off.
 * `REQUEST_INVALID`.
 */
export function checkOptions(options: unknown, known: Known): void {
  checkObject(options, known)
  checkNames(options, known.names, 'option')
}

/** Refuses anything but an object of options, such as the bare value of one. */
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

/** Refuses fields with other names; `kind` is the word for them. */
export function checkNames(given: object, names: readonly string[], kind: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new LeafidError('REQUEST_INVALID', `unknown ${kind} ${listed([unknown])}: ${kind}s are ${listed(names)}`)
}

/** Beyond this, a number cannot tell whole milliseconds apart. */
const FARTHEST = 2 ** 53

/** A custom clock with checked readings. `REQUEST_INVALID` for no function, and for each reading that is no number. */
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
