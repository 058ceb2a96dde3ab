export { Scrambler } from './public/scrambler.js'
export type { Alphabet, ScramblerOptions } from './public/scrambler.js'
export { fromBase58, fromBase62, toBase58, toBase62 } from './public/digits.js'
export { LeafidError } from './values/errors.js'
