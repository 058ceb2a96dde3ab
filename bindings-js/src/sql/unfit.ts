import { LeafidError } from '../values/errors.js'
import { quoted } from '../values/shown.js'

/** The error for a connection with a transaction of the application open: a grant in it could be rolled back. */
export function inTransaction(kind: string, instead = 'a pool'): LeafidError {
  const message = `the ${kind} connection is inside a transaction, and what a store grants there would be undone with it: pass ${instead}, or a connection that is used for nothing else`
  return new LeafidError('STORE_REFUSED', message)
}

/** The error for a temporary table that hides the store's: grants written there would be forgotten. */
export function shadowed(kind: string, table: string): LeafidError {
  const message = `the ${kind} connection has a temporary table \`${table}\`, which would be written instead of the store's, and forgotten: drop it, or pass a pool, or a connection that is used for nothing else`
  return new LeafidError('STORE_REFUSED', message)
}

/** The error for tables of another version; `cure` is what to do. */
export function otherVersion(what: string, version: number, known: number, cure = '; use'): LeafidError {
  return new LeafidError('SCHEMA_MISMATCH', `${what} has tables of version ${version}, this program knows ${known}${cure} the version of leafid that wrote them`)
}

/** The error where there is no store; `what` describes the place, `call` creates a store in code. */
export function notThere(place: string, what: string, call: string): LeafidError {
  const cure = `to create a new store there: leafid init --store ${place}, or ${call}`
  const lost = `if there was one and it is lost, use instead: leafid init --replaces-lost --store ${place}, as a new store would hand out again what is in use`
  return new LeafidError('STORE_UNKNOWN', `${quoted(place)} ${what}; ${cure}; ${lost}`)
}
