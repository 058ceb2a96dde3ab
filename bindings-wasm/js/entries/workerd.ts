import { useEngine } from '../engine.js'
import { useHost } from '../host.js'
import { workerdHost } from '../hosts/workerd.js'
import { wasmEngine } from '../wasm.js'
import { initSync } from '../wasm/leafid.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/leafid_bg.wasm'

initSync({ module: module as WebAssembly.Module })
useEngine(wasmEngine)
useHost(workerdHost)
export * from '../index.js'
