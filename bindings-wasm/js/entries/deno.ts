import { useEngine } from '../engine.js'
import { useHost } from '../host.js'
import { webHost } from '../hosts/web.js'
import { wasmEngine } from '../wasm.js'
import init from '../wasm/leafid.js'

await init({ module_or_path: new URL('../wasm/leafid_bg.wasm', import.meta.url) })
useEngine(wasmEngine)
useHost(webHost)
export * from '../index.js'
