import { storeAt } from '../databases/address.js'
import { useEngine } from '../engines/engine.js'
import { loadEngine } from '../engines/native.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'

useEngine(loadEngine())
useHost({ ...nodeHost, named: storeAt })
