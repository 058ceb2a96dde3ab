// The registry for a page that has a store.
import { fetched } from '../engines/modules.js'
import { useRegistry } from '../engines/registry.js'

const module = await fetched(new URL('../wasm/registry.wasm', import.meta.url), () => import('../wasm/registry-inlined.js'))
useRegistry(() => module)
