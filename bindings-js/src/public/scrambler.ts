import { thePublicIds, type Problem, type PublicScrambler } from '../engines/public.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { shown } from '../values/shown.js'
import { checkedId } from '../values/text.js'

/** The digits of public texts: both need 11, and base58 has no `0`, `O`, `I` and `l`. */
export type Alphabet = 'base58' | 'base62'

/** The form of a scrambler's texts. */
export interface ScramblerOptions {
  /** The kind of thing: `order` for `order_…`. 1 to 32 of `a-z`, `0-9` and `_`, a letter first; none by default. */
  prefix?: string
  /** `base58` by default. */
  alphabet?: Alphabet
}

/**
 * Turns the IDs of one tag (or namespace) into public ones, such as `order_7Xk2mPq9RtB`, and back. Uses FF1 of NIST SP
 * 800-38G over 63 bits, with the tag as the tweak: nothing is stored, and different IDs stay different.
 *
 * A text gives no permission: check who asks for the thing it names. There is no check digit: a typo decodes to another
 * 63-bit number, which practically never is one of yours.
 */
export class Scrambler {
  readonly #own: PublicScrambler
  /** The tag. */
  readonly tag: string
  /** The prefix, without the `_` after it, if there is one. */
  readonly prefix: string | undefined
  /** The alphabet. */
  readonly alphabet: Alphabet

  /**
   * `key` is 16 or 32 random bytes; keep it for as long as texts are in use: another key decodes them to other IDs.
   * One key serves all tags. `REQUEST_INVALID`, `TAG_INVALID`.
   */
  constructor(key: Uint8Array, tag: string, options: ScramblerOptions = {}) {
    // No message shows a key.
    if (Object.prototype.toString.call(key) !== '[object Uint8Array]') {
      throw new LeafidError('REQUEST_INVALID', `\`key\` must be 16 or 32 random bytes in a \`Uint8Array\`, got a value of type \`${typeof key}\``)
    }
    if (typeof tag !== 'string') throw new LeafidError('TAG_INVALID', `the tag must be a string, got ${shown(tag)}`)
    checkOptions(options, { names: ['prefix', 'alphabet'] })
    const { prefix, alphabet = 'base58' } = options
    if (prefix !== undefined && typeof prefix !== 'string') throw new LeafidError('REQUEST_INVALID', `\`prefix\` must be a string, got ${shown(prefix)}`)
    if (alphabet !== 'base58' && alphabet !== 'base62') throw new LeafidError('REQUEST_INVALID', `\`alphabet\` must be \`base58\` or \`base62\`, got ${shown(alphabet)}`)
    this.#own = given(thePublicIds().scrambler(key, tag, prefix, alphabet === 'base62'))
    this.tag = tag
    this.prefix = prefix
    this.alphabet = alphabet
  }

  /** The public text of an ID. `ID_INVALID` for anything but an ID. */
  encode(id: bigint): string {
    return given(this.#own.encode(checkedId(id)))
  }

  /** The ID of a public text. `ID_INVALID` for a text of another prefix, length or alphabet. */
  decode(text: string): bigint {
    return given(this.#own.decode(textOf(text)))
  }

  /** The public form of an ID as a 63-bit number. `ID_INVALID` for anything but an ID. */
  scramble(id: bigint): bigint {
    return given(this.#own.scramble(checkedId(id)))
  }

  /** The ID behind a scrambled number. `ID_INVALID` for anything but a number of 63 bits. */
  unscramble(number: bigint): bigint {
    return given(this.#own.unscramble(checkedId(number)))
  }
}

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

/** The answer; throws if it is a problem. */
function given<T>(answer: T | Problem): T {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return answer as T
  const { code, message } = answer as Problem
  throw new LeafidError(code, message)
}

/** Checks that a caller's value is a text: `ID_INVALID`. */
function textOf(text: string): string {
  if (typeof text === 'string') return text
  throw new LeafidError('ID_INVALID', `a public ID must be a string, got ${shown(text)}`)
}
