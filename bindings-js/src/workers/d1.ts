import { storeClock, type StoreClock } from '../sql/clock.js'
import { runFar, type FarTables } from '../sql/run.js'
import { query, type Columns, type Query, type Step } from '../sql/text.js'
import { TEXTS, VERSION } from '../sql/texts.js'
import { otherVersion } from '../sql/unfit.js'
import { Works, type Setting } from '../sql/work.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { quoted } from '../values/shown.js'
import { checkDeclared, type Declarations } from '../stores/declared.js'
import { storeOf, type Store } from '../stores/store.js'
import { bound, checkBinding, type Binding, type Expected } from './binding.js'
import { given } from './tables.js'

/** The declarations of a D1 store: by default no tags, and the namespace `default` in the layout `leaf`. */
export type D1StoreOptions = Declarations

/** The used part of a D1 database. */
export interface Database {
  prepare(text: string): { bind(...params: unknown[]): unknown }
  batch(statements: never[]): Promise<{ results?: unknown }[]>
}

const DATABASE: Expected = {
  what: 'a D1 database',
  method: 'batch',
  lines: (name) => `  "d1_databases": [{ "binding": "${name}", "database_name": "ids", "database_id": "…" }],\nas \`npx wrangler d1 create ids\` prints it`,
}

/** The tables of a D1 database. A batch is a transaction: reads see one moment, writes are atomic. */
function tablesOf(database: () => Database): FarTables {
  const batch = (queries: readonly Query[]) => {
    const one = database()
    return one.batch(queries.map(({ sql, params }) => one.prepare(sql).bind(...params.map(given)) as never))
  }
  return {
    async read(queries) {
      return (await batch(queries)).map(({ results }) => (results ?? []) as Columns[])
    },
    async write(steps) {
      try {
        await batch(steps.flatMap(guarded))
        return true
      } catch (error) {
        if (/UNIQUE constraint failed: meta\.one/.test((error as Error | null)?.message ?? '')) return false
        throw error
      }
    },
  }
}

/** A step, with a statement that rolls the batch back if the step did not do what it must. */
function guarded(step: Step): Query[] {
  switch (step.must) {
    case 'nothing':
      return [step]
    case 'write':
      return [step, query(TEXTS.unless_written)]
    case 'find': {
      const { sql } = query(TEXTS.unless_written)
      return [{ sql: sql.replace('changes() = 0', `NOT EXISTS (${step.sql})`), params: step.params }]
    }
  }
}

/**
 * A store in a D1 database. `binding` is the name of the binding, looked up with each ask. A command creates the
 * tables: `npx wrangler d1 execute ids --file node_modules/leafid/sql/d1.sql`; tags and namespaces are declared here.
 * `REQUEST_INVALID` for unknown options, and the codes of invalid declarations; when asked, with the lines of
 * wrangler.jsonc if the binding is missing.
 */
export function d1Store(binding: Binding<Database>, options: D1StoreOptions = {}): Required<Store> {
  checkBinding(binding, '`d1Store`')
  checkOptions(options, { names: ['tags', 'namespaces'] })
  checkDeclared(options)
  const name = typeof binding === 'string' ? binding : 'NAME'
  const works = new Works(setting(name, options))
  const tables = tablesOf(() => bound(binding, DATABASE))
  return storeOf((verb, ask, signal) =>
    runFar(tables, () => works.begin(verb, ask), signal).catch((error: unknown) => {
      throw withoutTables(name, error)
    }),
  )
}

function setting(binding: string, { tags = {}, namespaces = { default: {} } }: D1StoreOptions): Setting {
  const how = (kind: 'tags' | 'namespaces', name: string) => `d1Store('${binding}', { ${kind}: { ${JSON.stringify(name)}: {} } })`
  let clock: StoreClock | undefined
  return {
    declared: { tags, namespaces, how },
    hears: (told, beatMs) => (clock ??= storeClock(beatMs, told, performance.now()))(told, performance.now(), () => 0),
    hasVersion: true,
    otherVersion: (version) => otherVersion('the database', version, VERSION, ': deploy'),
  }
}

/** The error of a database without tables. None are created here: an empty database may be one that lost its data. */
function withoutTables(name: string, error: unknown): unknown {
  if (!/no such table/.test((error as Error | null)?.message ?? '')) return error
  const command = 'npx wrangler d1 execute ids --local --file node_modules/leafid/sql/d1.sql'
  const message = `there is no store in the D1 database ${quoted(name)}: make it with \`${command}\`, with \`--remote\` for the deployed one`
  return new LeafidError('NOT_ENABLED', message, { cause: error })
}
