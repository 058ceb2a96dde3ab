// Browsers, and whatever has no condition of its own.
import { fetched } from '../engines/modules.js'
import { usePublicIds } from '../engines/public.js'
import { wasmPublicIds } from '../engines/wasm-public.js'

const module = await fetched(new URL('../wasm/public.wasm', import.meta.url), () => import('../wasm/public-inlined.js'))
usePublicIds(wasmPublicIds(module))
