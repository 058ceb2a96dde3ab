import { thePublicIds, type Problem } from '../engines/public.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'
import { checkedId } from '../values/text.js'

/** 11 digits without `0`, `O`, `I` and `l`: they sort as the IDs do. `ID_INVALID` for anything but an ID. */
export function toBase58(id: bigint): string {
  return given(thePublicIds().digits(false, checkedId(id)))
}

/** The ID of 11 such digits. Strict: `ID_INVALID` for anything that `toBase58` does not write. */
export function fromBase58(text: string): bigint {
  return given(thePublicIds().parse(false, textOf(text)))
}

/** 11 digits of `0-9A-Za-z`: they sort as the IDs do. `ID_INVALID` for anything but an ID. */
export function toBase62(id: bigint): string {
  return given(thePublicIds().digits(true, checkedId(id)))
}

/** The ID of 11 such digits. Strict: `ID_INVALID` for anything that `toBase62` does not write. */
export function fromBase62(text: string): bigint {
  return given(thePublicIds().parse(true, textOf(text)))
}

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
