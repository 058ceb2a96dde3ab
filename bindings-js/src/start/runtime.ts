// Deno and Bun.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine, inlinedRegistry } from '../engines/inlined.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'

useEngine(inlinedEngine())
useRegistry(inlinedRegistry)
useHost(webHost)
