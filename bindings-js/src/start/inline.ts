// For a bundler that leaves files aside, and wherever nothing can be waited for while modules load.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine, inlinedRegistry } from '../engines/inlined.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'

useEngine(inlinedEngine())
useRegistry(inlinedRegistry)
useHost({ ...webHost, ...briefly })
