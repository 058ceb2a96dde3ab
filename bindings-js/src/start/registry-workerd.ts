// The registry for a Worker that has a store.
import { useRegistry } from '../engines/registry.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/registry.wasm'

useRegistry(() => module as WebAssembly.Module)
