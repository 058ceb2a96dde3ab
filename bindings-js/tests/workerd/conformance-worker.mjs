// Replays the conformance suite inside a Durable Object, and over D1.
import * as leafid from 'leafid'
import * as registry from 'leafid/registry'
import { DurableObject } from 'cloudflare:workers'
import { D1Tables } from './workers/d1.js'
import { ObjectTables } from './workers/object.js'
import { SQLITE } from './sql/dialect.js'
import { settled } from './sql/make.js'
import { runFar, runNear } from './sql/run.js'
import * as rows from './sql/rows.js'
import * as steps from './sql/steps.js'
import { Works } from './sql/work.js'
import { storeOver } from './tables.mjs'
import { replay } from './vectors.mjs'

const known = { sql: { ...rows, ...steps, SQLITE, Works }, registry, LeafidError: leafid.LeafidError }
const suite = (run, file) => replay(leafid, {}, file, { store: storeOver(run, known) })

export class Ids extends DurableObject {
  conform(file) {
    const tables = new ObjectTables(this.ctx.storage)
    settled(tables, (text) => tables.script(text))
    return suite((begin) => runNear(tables, begin), file)
  }
}

export default {
  async fetch(request, env) {
    const file = await request.json()
    if (new URL(request.url).searchParams.get('store') === 'object') {
      return Response.json(await env.IDS.get(env.IDS.idFromName('conformance')).conform(file))
    }
    const tables = new D1Tables(() => env.DB)
    return Response.json(await suite((begin) => runFar(tables, begin), file))
  },
}
