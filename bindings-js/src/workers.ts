import './start/stores.js'

export { LeafidObject } from './workers/object.js'
export { durableObjectStore, type DurableObjectStoreOptions, type ObjectNamespace } from './workers/durable.js'
export { d1Store, type D1StoreOptions, type Database } from './workers/d1.js'
export type { Declarations, DeclaredNamespace, DeclaredTag } from './stores/declared.js'
export type { Binding } from './workers/binding.js'
