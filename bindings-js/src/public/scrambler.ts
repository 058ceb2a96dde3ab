import { thePublicIds, type Problem, type PublicScrambler } from '../engines/public.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { shown } from '../values/shown.js'
import { checkedId } from '../values/text.js'

/** In which digits texts are written: either needs 11, and base58 has no `0`, `O`, `I` and `l`. */
export type Alphabet = 'base58' | 'base62'

/** How the texts of a scrambler look. */
export interface ScramblerOptions {
  /** What an ID is of: `order` for `order_…`. 1 to 32 of `a-z`, `0-9` and `_`, with a letter first; none by default. */
  prefix?: string
  /** `base58` by default. */
  alphabet?: Alphabet
}

/**
 * Turns the IDs of one tag (or namespace) into public ones, such as `order_7Xk2mPq9RtB`, and back. It is FF1 of NIST SP 800-38G over
 * 63 bits, with the tag as its tweak: nothing is stored, and no two IDs become the same.
 *
 * A text gives no permission: check who asks for what it names. There is no check digit: a typo is another number of 63 bits, which
 * practically never is one of yours.
 */
export class Scrambler {
  readonly #own: PublicScrambler
  /** The tag. */
  readonly tag: string
  /** The prefix, without the `_` after it, if there is one. */
  readonly prefix: string | undefined
  /** The digits. */
  readonly alphabet: Alphabet

  /**
   * `key` is 16 or 32 random bytes; keep it for as long as texts are out: under another one they mean other IDs. One key does for all
   * tags. `REQUEST_INVALID`, `TAG_INVALID`.
   */
  constructor(key: Uint8Array, tag: string, options: ScramblerOptions = {}) {
    // A key is never shown.
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

  /** Another number of 63 bits, for where a number is wanted. `ID_INVALID` for anything but an ID. */
  scramble(id: bigint): bigint {
    return given(this.#own.scramble(checkedId(id)))
  }

  /** The ID that was scrambled to this number. `ID_INVALID` for anything but a number of 63 bits. */
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

/** What was given; throws what is wrong. */
function given<T>(answer: T | Problem): T {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return answer as T
  const { code, message } = answer as Problem
  throw new LeafidError(code, message)
}

/** A text of a caller's; else `ID_INVALID`. */
function textOf(text: string): string {
  if (typeof text === 'string') return text
  throw new LeafidError('ID_INVALID', `a public ID must be a string, got ${shown(text)}`)
}
