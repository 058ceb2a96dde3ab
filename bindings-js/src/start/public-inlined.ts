// Node, Deno and Bun. Node as well: an encoding costs some microseconds, and a native engine for each machine would save few.
import { inlined } from '../engines/modules.js'
import { usePublicIds } from '../engines/public.js'
import { WASM } from '../wasm/public-inlined.js'

usePublicIds(inlined(WASM))
