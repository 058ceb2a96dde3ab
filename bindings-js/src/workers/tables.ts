import type { Tables } from '../sql/run.js'
import { query, type Columns, type Param, type Query } from '../sql/text.js'
import { TEXTS, VERSION } from '../sql/texts.js'

export interface ObjectStorage {
  sql: { exec(text: string, ...params: unknown[]): { toArray(): Columns[]; rowsWritten: number } }
  transactionSync<T>(act: () => T): T
}

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

  /** Includes rows of indexes, but only zero or not matters. */
  run({ sql, params }: Query): number {
    const cursor = this.#storage.sql.exec(sql, ...params.map(given))
    cursor.toArray()
    return cursor.rowsWritten
  }

  script(text: string): void {
    this.#storage.sql.exec(text).toArray()
  }
}

/** Converts a parameter for SQLite in a Worker: bytes as their buffer. */
export function given(param: Param): unknown {
  return param instanceof Uint8Array ? param.buffer : param
}

/** Creates the tables if there are none; returns their version. */
export function settled(tables: ObjectTables): number {
  return tables.transaction(() => {
    const isThere = tables.all({ sql: "SELECT name FROM sqlite_master WHERE name = 'schema_version'", params: [] }).length > 0
    if (!isThere) {
      const { schema, version, make, version_set } = TEXTS
      tables.script([schema, version, make].map(({ sql }) => sql).join(';\n'))
      tables.run(query(version_set, { version: VERSION }))
      return VERSION
    }
    return Number(tables.all(query(TEXTS.version_is))[0]?.['version'])
  })
}
