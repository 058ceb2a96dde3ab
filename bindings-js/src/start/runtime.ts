// Deno and Bun.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine } from '../engines/inlined.js'
import { inlined } from '../engines/modules.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'
import { WASM } from '../wasm/stores-inlined.js'

useEngine(inlinedEngine())
useRegistry(() => inlined(WASM), true)
useHost(webHost)
