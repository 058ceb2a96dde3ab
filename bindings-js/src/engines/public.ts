export interface Problem {
  code: string
  message: string
}

export interface PublicIds {
  scrambler(key: Uint8Array, tag: string, prefix: string | undefined, isBase62: boolean): PublicScrambler | Problem
  digits(isBase62: boolean, id: bigint): string | Problem
  parse(isBase62: boolean, text: string): bigint | Problem
}

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

export function thePublicIds(): PublicIds {
  if (publicIds === undefined) throw new Error('public IDs are not loaded: import `leafid/public`, not one of its files')
  return publicIds
}
