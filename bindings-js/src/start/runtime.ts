// Deno and Bun.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine } from '../engines/inlined.js'
import { inlinedStores } from '../engines/inlined-stores.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'

useEngine(inlinedEngine())
useRegistry(inlinedStores, true)
useHost(webHost)
