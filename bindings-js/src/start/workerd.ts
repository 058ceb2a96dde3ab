import { useEngine } from '../engines/engine.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { workerdHost } from '../hosts/workerd.js'
import ENGINE from '../wasm/engine.wasm'

useEngine(() => wasmEngine(ENGINE))
useHost(workerdHost)
