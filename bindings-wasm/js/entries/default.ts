import { useEngine } from '../engine.js'
import { useHost } from '../host.js'
import { briefly, webHost } from '../hosts/web.js'
import { wasmEngine } from '../wasm.js'
import init from '../wasm/leafid.js'

await init({ module_or_path: new URL('../wasm/leafid_bg.wasm', import.meta.url) })
useEngine(wasmEngine)
useHost({ ...webHost, ...briefly })
export * from '../index.js'
