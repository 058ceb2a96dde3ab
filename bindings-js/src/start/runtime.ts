// Deno and Bun.
import { useEngine } from '../engines/engine.js'
import { inlinedEngine } from '../engines/inlined.js'
import { useHost } from '../hosts/host.js'
import { webHost } from '../hosts/web.js'

useEngine(inlinedEngine())
useHost(webHost)
