// A store over a new file, as scripts play it.
import * as leafid from 'leafid'
import 'leafid/registry'
import { sqliteStore } from 'leafid/node'
import { inner } from './package.mjs'
import { storeOver } from './tables.mjs'
import { replay } from './vectors.mjs'

const [{ Works }, { runNear }, { Connection }] = await Promise.all(['sql/work.js', 'sql/run.js', 'files/driver.js'].map(inner))

/** What is wrong with scripts of the kind `store`, and how many there are. */
export async function replayed(path, file) {
  await new leafid.Segment('any', { store: sqliteStore(path, { create: { tags: { any: {} } } }) }).next()
  const connection = new Connection(path)
  const store = storeOver((begin) => runNear(connection, begin), { Works })
  const looking = async (...script) => {
    const act = await store(...script)
    return (step) => (step.do === 'rows' ? connection.all({ sql: step.sql, params: [] })[0].text : act(step))
  }
  return replay(leafid, {}, file, { store: looking })
}
