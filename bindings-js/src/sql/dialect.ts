import type { TagRow } from '../stores/registry.js'
import type { Params } from './rows.js'
import { query, type Query } from './text.js'
import { TEXTS, VERSION } from './texts.js'

export type { Query } from './text.js'

/** A part of a transaction: what has to write a row, or to find one, or the transaction conflicts; or what writes what there is. */
export type Step = Query & { must: 'write' | 'find' | 'nothing' }

/** How a kind of database is spoken to: its texts, with the values of their parameters. */
export interface Dialect {
  /** The version of the tables that the texts are for. */
  version: number
  /** A text by the name of its file in `turn`. */
  query(name: string, params?: Params): Query
  /** Sets these columns of a worker number's row, if it is as it was. */
  changed(columns: readonly string[], params: Params): Query
  /** How a tag is written whose row lies in two tables; `params` are those of its row, and of `was`. */
  putTag?(params: Params, after: TagRow, was: TagRow | undefined): Step[]
  /** How often it is noted that the store was written, in ms. */
  beatEachMs: number
}

/** SQLite's, wherever it is: in a file, a Durable Object or D1. */
export const SQLITE: Dialect = {
  version: VERSION,
  query: (name, params) => query(TEXTS[name as keyof typeof TEXTS], params),
  changed: (columns, params) => query(`UPDATE workers SET ${columns.map((name) => `${name} = :${name}`).join(', ')} ${TEXTS.worker_was}`, params),
  // There is one writer at a time in any case.
  beatEachMs: 0,
}
