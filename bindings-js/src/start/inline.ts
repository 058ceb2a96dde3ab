// For a bundler that leaves files aside, and wherever nothing can be waited for while modules load.
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
