// Deno and Bun.
import { useEngine } from '../engines/engine.js'
import { instantiate, wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'

await instantiate({ module_or_path: new URL('../wasm/leafid_bg.wasm', import.meta.url) })
useEngine(wasmEngine)
useHost(webHost)
