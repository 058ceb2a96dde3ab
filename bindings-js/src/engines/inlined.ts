import { WASM } from '../wasm/inlined.js'
import type { Engine } from './engine.js'
import { instantiateSync, wasmEngine } from './wasm.js'

/** The wasm engine from the bytes that stand in the package's code: no file to find, and nothing to wait for. */
export function inlinedEngine(): Engine {
  instantiateSync({ module: Uint8Array.from(atob(WASM), (char) => char.charCodeAt(0)) })
  return wasmEngine
}
