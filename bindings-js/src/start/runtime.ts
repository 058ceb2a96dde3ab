// Deno and Bun.
import { useEngine } from '../engines/engine.js'
import { inlined } from '../engines/modules.js'
import { useRegistry } from '../engines/registry.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'
import { WASM as ENGINE } from '../wasm/engine-inlined.js'
import { WASM as REGISTRY } from '../wasm/stores-node-inlined.js'

useEngine(wasmEngine(inlined(ENGINE)))
useRegistry(() => inlined(REGISTRY), true)
useHost(webHost)
