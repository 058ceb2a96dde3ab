import type { Tables } from '../sql/run.js'
import type { Columns, Param, Query } from '../sql/text.js'

/** What is used of an object's storage. */
export interface ObjectStorage {
  sql: { exec(text: string, ...params: unknown[]): { toArray(): Columns[] } }
  transactionSync<T>(act: () => T): T
}

/** The tables of an object with SQLite. */
export class ObjectTables implements Tables {
  readonly #storage: ObjectStorage

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  transaction<T>(act: () => T): T {
    return this.#storage.transactionSync(act)
  }

  all({ sql, params }: Query): Columns[] {
    return this.#storage.sql.exec(sql, ...params.map(given)).toArray()
  }

  run(query: Query): number {
    this.all(query)
    return Number(this.all({ sql: 'SELECT changes() AS changes', params: [] })[0]!['changes'])
  }

  /** Runs a text of several statements. */
  script(text: string): void {
    this.#storage.sql.exec(text).toArray()
  }
}

/** As SQLite in a Worker takes it: bytes as their buffer. */
export function given(param: Param): unknown {
  return param instanceof Uint8Array ? param.buffer : param
}
