import './start/public.js'

export { Scrambler, fromBase58, fromBase62, toBase58, toBase62, type Alphabet, type ScramblerOptions } from './public/scrambler.js'
export { LeafidError } from './values/errors.js'
