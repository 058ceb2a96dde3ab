import { useEngine } from '../engine.js'
import { useHost } from '../host.js'
import { nodeHost } from '../hosts/node.js'
import { loadEngine } from '../load.js'

useEngine(loadEngine())
useHost(nodeHost)
export * from '../index.js'
