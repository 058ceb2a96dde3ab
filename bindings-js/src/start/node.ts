import { useEngine } from '../engines/engine.js'
import { loadEngine } from '../engines/native.js'
import { sqliteAt } from '../files/sqlite.js'
import { useHost } from '../hosts/host.js'
import { nodeHost } from '../hosts/node.js'

useEngine(loadEngine())
useHost({ ...nodeHost, sqlite: sqliteAt })
