import type { Problem } from '../engines/public.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

/** What was given; throws what is wrong. */
export function given<T>(answer: T | Problem): T {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return answer as T
  const { code, message } = answer as Problem
  throw new LeafidError(code, message)
}

/** A text of a caller's; else `ID_INVALID`. */
export function textOf(text: string): string {
  if (typeof text === 'string') return text
  throw new LeafidError('ID_INVALID', `a public ID must be a string, got ${shown(text)}`)
}
