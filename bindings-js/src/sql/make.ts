import type { Tables } from './run.js'
import { query } from './text.js'
import { MIGRATIONS, SCHEMA, TEXTS, VERSION } from './texts.js'

/** Runs a text of several statements. */
export type Script = (text: string) => void

/** Makes the tables where there are none, and raises those of an older version. Gives the version that they have then. */
export function settled(tables: Tables, script: Script): number {
  return tables.transaction(() => {
    const isThere = tables.all({ sql: "SELECT name FROM sqlite_master WHERE name = 'schema_version'", params: [] }).length > 0
    if (!isThere) {
      script([SCHEMA, TEXTS.version, TEXTS.make, TEXTS.version_set.replace(':version', String(VERSION))].join('\n'))
      return VERSION
    }
    const had = Number(tables.all(query(TEXTS.version_is))[0]?.['version'])
    const steps = MIGRATIONS.filter(([to]) => to > had)
    for (const [, text] of steps) script(text)
    if (steps.length > 0) tables.run(query(TEXTS.version_set, { version: VERSION }))
    return Math.max(had, VERSION)
  })
}
