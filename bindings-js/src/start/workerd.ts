import { useEngine } from '../engines/engine.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { workerdHost } from '../hosts/workerd.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/engine.wasm'

useEngine(wasmEngine(module as WebAssembly.Module))
useHost(workerdHost)
