// Browsers, and runtimes without a condition of their own.
import { useEngine } from '../engines/engine.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'
import ENGINE from '../wasm/engine.wasm'

useEngine(() => wasmEngine(ENGINE))
useHost(webHost)
