import { useEngine } from '../engine.js'
import { loadEngine } from '../load.js'

useEngine(loadEngine())
export * from '../index.js'
