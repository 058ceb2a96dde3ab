import { useEngine } from '../engines/engine.js'
import { instantiateSync, wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { workerdHost } from '../hosts/workerd.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/leafid_bg.wasm'

instantiateSync({ module: module as WebAssembly.Module })
useEngine(wasmEngine)
useHost(workerdHost)
