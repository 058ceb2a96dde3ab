// Node, Deno and Bun.
import { inlined } from '../engines/modules.js'
import { usePublicIds } from '../engines/public.js'
import { WASM } from '../wasm/public-inlined.js'

usePublicIds(inlined(WASM))
