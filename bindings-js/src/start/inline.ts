// For a bundler that leaves files aside, and wherever nothing can be waited for while modules load.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine } from '../engines/inlined.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'

useEngine(inlinedEngine())
useHost({ ...webHost, ...briefly })
