// A file of its own in the package: a page or a Worker that names no store in memory leaves it out, with the registry.
import './start/registry.js'

export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './stores/memory.js'
