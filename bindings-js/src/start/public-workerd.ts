import { usePublicIds } from '../engines/public.js'
import { wasmPublicIds } from '../engines/wasm-public.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/public.wasm'

usePublicIds(wasmPublicIds(module as WebAssembly.Module))
