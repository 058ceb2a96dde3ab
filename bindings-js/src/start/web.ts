// Browsers, and runtimes without a condition of their own.
import { useEngine } from '../engines/engine.js'
import { fetched } from '../engines/modules.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'

const module = await fetched(new URL('../wasm/engine.wasm', import.meta.url), () => import('../wasm/engine-inlined.js'))
useEngine(wasmEngine(module))
useHost({ ...webHost, ...briefly })
