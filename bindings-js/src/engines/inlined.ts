import { WASM } from '../wasm/engine-inlined.js'
import type { Engine } from './engine.js'
import { inlined } from './modules.js'
import { wasmEngine } from './wasm.js'

/** The wasm engine from the bytes inlined in the package's code. */
export const inlinedEngine = (): Engine => wasmEngine(inlined(WASM))
