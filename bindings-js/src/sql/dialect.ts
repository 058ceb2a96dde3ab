import { query, type Params, type Query, type Texts } from './text.js'
import { TEXTS, VERSION } from './texts.js'

export type { Query } from './text.js'

/** A statement of a transaction. Unless it writes or finds a row as it must, the transaction conflicts. */
export type Step = Query & { must: 'write' | 'find' | 'nothing' }

/** A database's dialect: its statements, with the values of their parameters. */
export interface Dialect {
  /** The version of the tables that the statements are for. */
  version: number
  /** A statement by its name. */
  query(name: string, params?: Params): Query
  /** Whether tags are the rows of Leaf's own table. */
  leaf?: boolean
  /** The interval at which a write of the store is recorded, in ms. */
  beatEachMs: number
}

/** SQLite's dialect: in a file, a Durable Object or D1. */
export const SQLITE: Dialect = {
  version: VERSION,
  query: (name, params) => query((TEXTS as Texts)[name]!, params),
  // SQLite has one writer at a time in any case.
  beatEachMs: 0,
}
