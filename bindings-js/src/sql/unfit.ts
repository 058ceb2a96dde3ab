import { LeafidError } from '../values/errors.js'

/** The connection is in a transaction of the application's: what is granted there could be undone with it. */
export function inTransaction(kind: string): LeafidError {
  const message = `the ${kind} connection is inside a transaction, and what a store grants there would be undone with it: pass a pool, or a connection that is used for nothing else`
  return new LeafidError('STORE_REFUSED', message)
}

/** The connection has a temporary table where the store has one: it would be written instead, and forgotten. */
export function shadowed(kind: string, table: string): LeafidError {
  const message = `the ${kind} connection has a temporary table \`${table}\`, which would be written instead of the store's, and forgotten: drop it, or pass a pool, or a connection that is used for nothing else`
  return new LeafidError('STORE_REFUSED', message)
}
