// For bundlers that leave files behind, and where modules cannot await while they load.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine } from '../engines/inlined.js'
import { inlined } from '../engines/modules.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'
import { WASM } from '../wasm/registry-inlined.js'

useEngine(inlinedEngine())
useRegistry(() => inlined(WASM))
useHost({ ...webHost, ...briefly })
