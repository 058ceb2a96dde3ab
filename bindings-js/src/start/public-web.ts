// Browsers, and runtimes without a condition of their own.
import { fetched } from '../engines/modules.js'
import { usePublicIds } from '../engines/public.js'

usePublicIds(await fetched(new URL('../wasm/public.wasm', import.meta.url), () => import('../wasm/public-inlined.js')))
