import { storeAt } from '../databases/over.js'
import { useEngine } from '../engines/engine.js'
import { loadEngine, packages } from '../engines/native.js'
import { useRegistry } from '../engines/registry.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'

const { engine, registry } = loadEngine()
useEngine(engine)
useRegistry(registry, true)
const [nativePackage] = packages()
useHost({ ...nodeHost, named: storeAt, ...(nativePackage === undefined ? {} : { nativePackage }) })
