import { WASM as ENGINE } from '../wasm/engine-inlined.js'
import { WASM as REGISTRY } from '../wasm/registry-inlined.js'
import type { Engine } from './engine.js'
import { inlined } from './modules.js'
import type { Registry } from './registry.js'
import { wasmRegistry } from './wasm-registry.js'
import { wasmEngine } from './wasm.js'

/** The wasm engine from the bytes that stand in the package's code. */
export const inlinedEngine = (): Engine => wasmEngine(inlined(ENGINE))

export const inlinedRegistry = (): Registry => wasmRegistry(inlined(REGISTRY))
