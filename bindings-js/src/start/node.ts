import { storeAt } from '../databases/address.js'
import { useEngine } from '../engines/engine.js'
import { loadEngine, packages } from '../engines/native.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'

useEngine(loadEngine())
const [nativePackage] = packages()
useHost({ ...nodeHost, named: storeAt, ...(nativePackage === undefined ? {} : { nativePackage }) })
