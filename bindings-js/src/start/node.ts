import { storeAt } from '../databases/over.js'
import { useEngine } from '../engines/engine.js'
import { inlined } from '../engines/modules.js'
import { packages, stateFiles } from '../engines/native.js'
import { useRegistry } from '../engines/registry.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'
import { WASM as ENGINE } from '../wasm/engine-node-inlined.js'
import { WASM as STORES } from '../wasm/stores-node-inlined.js'

useEngine({ ...wasmEngine(inlined(ENGINE)), stateFiles })
useRegistry(() => inlined(STORES), true)
const [nativePackage] = packages()
useHost({ ...nodeHost, storeAt, ...(nativePackage === undefined ? {} : { nativePackage }) })
