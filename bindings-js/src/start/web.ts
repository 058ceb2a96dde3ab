// Browsers, and whatever has no condition of its own.
import { useEngine } from '../engines/engine.js'
import { instantiate, wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'

await instantiate({ module_or_path: new URL('../wasm/leafid_bg.wasm', import.meta.url) })
useEngine(wasmEngine)
useHost({ ...webHost, ...briefly })
