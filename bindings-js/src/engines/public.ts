/** What is wrong, in words. */
export interface Problem {
  code: string
  message: string
}

/** Public IDs. */
export interface PublicIds {
  scrambler(key: Uint8Array, tag: string, prefix: string | undefined, isBase62: boolean): PublicScrambler | Problem
  /** The digits of an ID. */
  digits(isBase62: boolean, id: bigint): string | Problem
  /** The ID of such digits. */
  parse(isBase62: boolean, text: string): bigint | Problem
}

/** What a scrambler makes of an ID, or of a text. */
export interface PublicScrambler {
  encode(id: bigint): string | Problem
  decode(text: string): bigint | Problem
  scramble(id: bigint): bigint | Problem
  unscramble(number: bigint): bigint | Problem
}

let publicIds: PublicIds | undefined

/** Called once, by the start module of this runtime. */
export function usePublicIds(chosen: PublicIds): void {
  publicIds = chosen
}

/** The one in use. */
export function thePublicIds(): PublicIds {
  if (publicIds === undefined) throw new Error('public IDs are not loaded: import `leafid/public`, not one of its files')
  return publicIds
}
