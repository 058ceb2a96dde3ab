// A Worker over a Durable Object or a D1 database; the controls are without the store's condition.
import { Segment, Snowflake } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'
import { DurableObject } from 'cloudflare:workers'
import { D1Tables } from './workers/d1.js'
import { ObjectTables, settled } from './workers/tables.js'
import { runFar } from './sql/run.js'
import { Works } from './sql/work.js'
import { careless } from './careless.mjs'

// Above 2^53, where a double has no odd numbers.
const tags = { orders: { from: '9007199254740993', step: 200, max_step: 1000 } }
const namespaces = { default: {} }

export class Ids extends LeafidObject {
  static tags = tags
}

/** The class, renamed without `renamed_classes`. */
export class Renamed extends Ids {}

const declared = { tags, namespaces, how: () => '' }

export class Careless extends DurableObject {
  async lease_segment(ask) {
    const tables = new ObjectTables(this.ctx.storage)
    settled(tables)
    const read = (queries) => queries.map((query) => tables.all(query))
    const write = (steps) => steps.forEach((step) => tables.run(step))
    const works = new Works({ declared, clock: () => Date.now(), hasVersion: false })
    return { answer: await careless({ read, write }, runFar, works).lease_segment(ask) }
  }
}

let env
const d1 = new D1Tables(() => env.DB)

const stores = {
  object: durableObjectStore('IDS'),
  d1: d1Store('DB', { tags }),
  'object, careless': durableObjectStore('CARELESS'),
  'd1, careless': careless({ read: (queries) => d1.read(queries), write: (steps) => d1.write(steps) }, runFar, new Works({ declared, hears: (told) => told, hasVersion: true })),
}

const generators = {}
for (const [name, store] of Object.entries(stores)) {
  generators[name] = { segment: new Segment('orders', { store, maxGrowth: 4 }) }
  if (store.acquire !== undefined) generators[name].snowflake = new Snowflake('default', { store })
}

export default {
  async fetch(request, given) {
    env = given
    const { searchParams } = new URL(request.url)
    const [store, kind, n] = ['store', 'kind', 'n'].map((name) => searchParams.get(name))
    const ids = new BigUint64Array(Number(n))
    try {
      for (let at = 0; at < ids.length; at += 200) {
        // A holder refuses a range that it has had, so the control uses a new one each time.
        const holder = kind === 'careless' ? new Segment('orders', { store: stores[store] }) : generators[store][kind]
        await holder.fill(ids.subarray(at, at + 200))
      }
    } catch ({ code, message, cause }) {
      return Response.json({ code, message, cause: cause?.code }, { status: 500 })
    }
    return new Response(ids)
  },
}
