export { sqlStore, type SqlConnection, type SqlStoreOptions } from './databases/over.js'
export { sqliteStore, type SqliteStoreOptions } from './files/sqlite.js'
export type { Declarations, DeclaredNamespace, DeclaredTag } from './stores/declared.js'
export { closeOnSignal, type Closable } from './face/signals.js'
