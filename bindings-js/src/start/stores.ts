// The registry for stores over SQL.
import { useRegistry } from '../engines/registry.js'
import STORES from '../wasm/stores.wasm'

useRegistry(STORES, true)
