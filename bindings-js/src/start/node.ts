// Node, Deno and Bun.
import { storeAt } from '../databases/over.js'
import { useEngine } from '../engines/engine.js'
import { packages, stateFiles } from '../engines/native.js'
import { wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'
import { useMemory } from '../stores/chosen.js'
import { memoryStore } from '../stores/memory.js'
import ENGINE from '../wasm/engine.wasm'
import './registry.js'

useEngine(() => ({ ...wasmEngine(ENGINE), stateFiles }))
useMemory(memoryStore)
const [nativePackage] = packages()
useHost({ ...nodeHost, storeAt, ...(nativePackage === undefined ? {} : { nativePackage }) })
