import { WASM } from '../wasm/stores-inlined.js'
import { inlined } from './modules.js'
import type { Registry } from './registry.js'
import { wasmRegistry } from './wasm-registry.js'

/** All that decides for stores, from the bytes that stand in the package's code. */
export const inlinedStores = (): Registry => wasmRegistry(inlined(WASM))
