// Replays the conformance suite inside a Durable Object, and over D1.
import * as leafid from 'leafid'
import * as registry from 'leafid/registry'
import { conform } from 'leafid/testing'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'
import { DurableObject } from 'cloudflare:workers'
import { D1Tables } from './workers/d1.js'
import { ObjectTables, settled } from './workers/tables.js'
import { SQLITE } from './sql/dialect.js'
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
    settled(tables)
    return suite((begin) => runNear(tables, begin), file)
  }
}

const TAGS = { conform: { from: '1', step: 10, max_step: 100 } }
const NAMESPACES = { conform: { workers: { start: 0, end: 4 } } }

export class Conform extends LeafidObject {
  static tags = TAGS
  static namespaces = NAMESPACES
}

/** What a store must do, in real time. */
async function conforms(store) {
  const own = { object: durableObjectStore('CONFORM'), d1: d1Store('DB', { tags: TAGS, namespaces: NAMESPACES }) }
  return conform(own[store]).catch(({ message }) => ({ message }))
}

export default {
  async fetch(request, env) {
    const { searchParams } = new URL(request.url)
    if (searchParams.has('conform')) return Response.json(await conforms(searchParams.get('conform')))
    const file = await request.json()
    if (new URL(request.url).searchParams.get('store') === 'object') {
      return Response.json(await env.IDS.get(env.IDS.idFromName('conformance')).conform(file))
    }
    const tables = new D1Tables(() => env.DB)
    return Response.json(await suite((begin) => runFar(tables, begin), file))
  },
}
