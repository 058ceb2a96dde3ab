import { useRegistry } from '../engines/registry.js'
import REGISTRY from '../wasm/registry.wasm'

useRegistry(REGISTRY)
