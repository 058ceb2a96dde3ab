import { thePublicIds } from '../engines/public.js'
import { checkedId } from '../values/text.js'
import { given, textOf } from './given.js'

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
