export { Scrambler, fromBase58, fromBase62, toBase58, toBase62 } from './public/scrambler.js'
export type { Alphabet, ScramblerOptions } from './public/scrambler.js'
export { LeafidError } from './values/errors.js'
