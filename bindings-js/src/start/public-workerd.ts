import { usePublicIds } from '../engines/public.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/public.wasm'

usePublicIds(module as WebAssembly.Module)
