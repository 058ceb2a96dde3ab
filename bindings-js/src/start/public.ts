import { usePublicIds } from '../engines/public.js'
import PUBLIC from '../wasm/public.wasm'

usePublicIds(PUBLIC)
