import { load } from '../hosts/require.js'
import type { Tables } from '../sql/run.js'
import type { Columns, Query } from '../sql/text.js'
import { LeafidError } from '../values/errors.js'

/** The common part of `node:sqlite` and `better-sqlite3`. */
export interface Database {
  exec(text: string): void
  prepare(text: string): {
    all(...params: unknown[]): unknown[]
    run(...params: unknown[]): { changes: number | bigint }
    /** `node:sqlite` only: has rows come as objects, whatever the connection is set to. */
    setReturnArrays?(enabled: boolean): void
  }
  close(): void
}

/** Opens an existing file with `node:sqlite` if Node has it, else with `better-sqlite3`; `NOT_ENABLED` without both. */
function open(path: string): Database {
  const own = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule?.('node:sqlite')
  if (own !== undefined) return new (own as { DatabaseSync: new (path: string) => Database }).DatabaseSync(path)
  let Better: new (path: string) => Database
  try {
    Better = load('better-sqlite3') as typeof Better
  } catch (cause) {
    const message = `\`sqlite:\` needs Node 22.13 or later, which has \`node:sqlite\`, or the package better-sqlite3, got Node ${process.versions.node}: npm install better-sqlite3`
    throw new LeafidError('NOT_ENABLED', message, { cause })
  }
  return new Better(path)
}

/** A connection to a file, or over an open database. Prepares each statement once. */
export class Connection implements Tables {
  readonly #database: Database
  readonly #prepared = new Map<string, ReturnType<Database['prepare']>>()

  constructor(opens: string | Database) {
    this.#database = typeof opens === 'string' ? open(opens) : opens
  }

  transaction<T>(act: () => T): T {
    return this.#within('BEGIN IMMEDIATE', act)
  }

  /** Reads everything as of one moment. */
  moment<T>(act: () => T): T {
    return this.#within('BEGIN', act)
  }

  #within<T>(begin: string, act: () => T): T {
    this.run({ sql: begin, params: [] })
    try {
      const done = act()
      this.run({ sql: 'COMMIT', params: [] })
      return done
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  all({ sql, params }: Query): Columns[] {
    return this.#statement(sql).all(...params) as Columns[]
  }

  run({ sql, params }: Query): number {
    return Number(this.#statement(sql).run(...params).changes)
  }

  script(text: string): void {
    this.#database.exec(text)
  }

  pragma(text: string): unknown {
    return Object.values(this.all({ sql: `PRAGMA ${text}`, params: [] })[0] ?? {})[0]
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  #statement(sql: string): ReturnType<Database['prepare']> {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      statement.setReturnArrays?.(false)
      this.#prepared.set(sql, statement)
    }
    return statement
  }

  #rollBack(): void {
    try {
      this.run({ sql: 'ROLLBACK', params: [] })
    } catch {
      // A serious failure has ended the transaction by itself.
    }
  }
}

/** Whether the application has a transaction open on its connection. */
export function isInTransaction(error: unknown): boolean {
  return /cannot start a transaction within a transaction/.test((error as Error | null)?.message ?? '')
}

export function isBusy(error: unknown): boolean {
  return /database is locked/.test((error as Error | null)?.message ?? '')
}
