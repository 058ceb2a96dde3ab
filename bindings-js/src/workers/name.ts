import { LeafidError } from '../values/errors.js'
import { quoted } from '../values/shown.js'
import type { ObjectTables } from './tables.js'

const MADE = 'CREATE TABLE IF NOT EXISTS object_name (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL) STRICT'

/**
 * Refuses what another object keeps: two objects with rows of one tag would be two lines of the same numbers. `own` is the
 * object's name as the runtime tells it. It does not where the object was woken by an alarm or reached by its id, so the
 * first name that is served stands in the storage. `REQUEST_INVALID`.
 */
export class ObjectName {
  readonly #tables: ObjectTables
  #kept: string | undefined

  constructor(tables: ObjectTables) {
    this.#tables = tables
  }

  /** Refuses any name but its own. */
  check(own: string | undefined, asked: string): void {
    this.#kept ??= this.#read()
    const name = this.#kept ?? own
    if (name === undefined) {
      const message = `an object without a name was asked for ${quoted(asked)}, and nobody else would find what it grants: ask through \`durableObjectStore\`, which makes objects by \`idFromName\``
      throw new LeafidError('REQUEST_INVALID', message)
    }
    if (name !== asked) {
      throw new LeafidError('REQUEST_INVALID', `the object ${quoted(name)} was asked for ${quoted(asked)}: ask through \`durableObjectStore\`, which knows whose object is whose`)
    }
  }

  /** Writes the name that is served. */
  keep(name: string): void {
    if (this.#kept !== undefined) return
    this.#tables.transaction(() => {
      this.#tables.script(MADE)
      this.#tables.run({ sql: 'INSERT INTO object_name (one, name) VALUES (1, ?)', params: [name] })
    })
    this.#kept = name
  }

  #read(): string | undefined {
    const there = this.#tables.all({ sql: "SELECT name FROM sqlite_master WHERE name = 'object_name'", params: [] })
    const rows = there.length === 0 ? [] : this.#tables.all({ sql: 'SELECT name FROM object_name', params: [] })
    return rows[0] === undefined ? undefined : String(rows[0]['name'])
  }
}
