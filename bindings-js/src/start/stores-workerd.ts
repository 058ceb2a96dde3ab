// What decides for a store over SQL, in a Worker that has one.
import { useRegistry } from '../engines/registry.js'
import { wasmRegistry } from '../engines/wasm-registry.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/stores.wasm'

useRegistry(() => wasmRegistry(module as WebAssembly.Module), true)
