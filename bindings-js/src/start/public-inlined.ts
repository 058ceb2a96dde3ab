// Node, Deno and Bun. In Node, too: an encoding takes microseconds, so native engines would save little.
import { inlined } from '../engines/modules.js'
import { usePublicIds } from '../engines/public.js'
import { WASM } from '../wasm/public-inlined.js'

usePublicIds(inlined(WASM))
