import * as wasm from '../wasm/leafid.js'
import type { Engine, Functions } from './engine.js'

/** The wasm engine. Its module has to be instantiated first. */
export const wasmEngine = { ...(wasm satisfies Functions), kind: 'wasm', rebuild: wasm.__wbg_reset_state } as unknown as Engine

export { default as instantiate, initSync as instantiateSync } from '../wasm/leafid.js'
