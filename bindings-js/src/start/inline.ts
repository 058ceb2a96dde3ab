// For bundlers that leave files behind, and where modules cannot await while they load.
import { useEngine } from '../engines/engine.js'
import { inlined } from '../engines/modules.js'
import { useRegistry } from '../engines/registry.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'
import { WASM as ENGINE } from '../wasm/engine-inlined.js'
import { WASM as REGISTRY } from '../wasm/registry-inlined.js'

useEngine(wasmEngine(inlined(ENGINE)))
useRegistry(() => inlined(REGISTRY))
useHost({ ...webHost, ...briefly })
