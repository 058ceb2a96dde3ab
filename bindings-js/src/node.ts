export { sqliteStore } from './files/sqlite.js'
export type { SqliteStoreOptions } from './files/sqlite.js'
export type { DeclaredNamespace, DeclaredTag } from './sql/declared.js'
