import { storeAt } from '../databases/over.js'
import { useEngine } from '../engines/engine.js'
import { inlined } from '../engines/modules.js'
import { loadEngine, packages } from '../engines/native.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'
import { WASM } from '../wasm/stores-inlined.js'

useEngine(loadEngine())
useRegistry(() => inlined(WASM), true)
useHost({ ...nodeHost, storeAt, nativePackage: packages()[0]! })
