import { query, type Params, type Query } from './text.js'
import { TEXTS, VERSION } from './texts.js'

export type { Query } from './text.js'

/** A part of a transaction: what has to write a row, or to find one, or the transaction conflicts; or what writes what there is. */
export type Step = Query & { must: 'write' | 'find' | 'nothing' }

/** How a kind of database is spoken to: its texts, with the values of their parameters. */
export interface Dialect {
  /** The version of the tables that the texts are for. */
  version: number
  /** A text by its name, which is that of its file in `turn`, with or without the folder; or one that ends with such a name. */
  query(text: string, params?: Params): Query
  /** What stands around a column's name that is a word of the dialect. */
  quote?: '`'
  /** Whether the tags are the rows of Leaf's own table. */
  leaf?: boolean
  /** How often it is noted that the store was written, in ms. */
  beatEachMs: number
}

/** A text with what its last word names in its place. */
export function named(text: string, texts: Readonly<Record<string, string>>): string {
  return text.replace(/[\w/]+$/, (name) => texts[name.replace(/^\w+\//, '')]!)
}

/** SQLite's, wherever it is: in a file, a Durable Object or D1. */
export const SQLITE: Dialect = {
  version: VERSION,
  query: (text, params) => query(named(text, TEXTS), params),
  // There is one writer at a time in any case.
  beatEachMs: 0,
}
