// Plays a script of `tests/verbs` over a new file: `SCRIPT FILE`. Prints the differences.
import './sqlite.mjs'
import { readFileSync } from 'node:fs'
import * as leafid from 'leafid'
import { sqliteStore } from 'leafid/node'
import { inner } from './package.mjs'
import { replay } from './vectors.mjs'

const { Connection, Works, runNear } = await inner()
/** The engine's names of an operator's verbs, where they differ. */
const OPERATES = { setWorkers: 'setNamespace', revoke: 'releaseWorker' }

const [file, path] = process.argv.slice(2)
const script = JSON.parse(readFileSync(file, 'utf8'))
await new leafid.Segment('any', { store: sqliteStore(path, { create: { tags: { any: {} } } }) }).next()
const connection = new Connection(path)
connection.script(`DELETE FROM tags; UPDATE meta SET beat_ms = 0, store = X'${script.store}'`)

let now = 0
const works = new Works({ clock: () => now, hasVersion: false })
const run = (verb, ask) => runNear(connection, () => works.begin(verb, ask))
const act = async ({ do: verb, at, ask, sql, ...operated }) => {
  now = Number(at)
  if (verb === 'rows') return connection.all({ sql, params: [] })[0].text
  if (ask !== undefined) return run(verb, ask)
  run(OPERATES[verb] ?? verb, operated)
  return {}
}
const { wrong } = await replay(leafid, {}, { scripts: [script] }, { store: () => act })
process.stdout.write(wrong.join('\n'))
