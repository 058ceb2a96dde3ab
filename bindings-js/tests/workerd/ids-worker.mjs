// A Worker whose store is a Durable Object or a D1 database; and, as the control, either without the store's condition.
import { Segment, Snowflake } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'
import { DurableObject } from 'cloudflare:workers'
import { D1Tables } from './workers/d1.js'
import { ObjectTables, settled } from './workers/tables.js'
import { runFar } from './sql/run.js'
import { Works } from './sql/work.js'

// Above 2^53, where a double has no odd numbers.
const tags = { orders: { from: '9007199254740993', step: 200, max_step: 1000 } }
const namespaces = { default: {} }

export class Ids extends LeafidObject {
  static tags = tags
}

const declared = { tags, namespaces, how: () => '' }

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Writes whatever was decided, on a row that may have changed since it was read. */
const careless = (read, write) => ({
  async read(queries) {
    const rows = await read(queries)
    await pause()
    return rows
  },
  async write(steps) {
    await write(
      steps.map(({ sql, params }) => {
        const bare = sql.replace(/(WHERE tag = \?) AND[^]*$/, '$1')
        return { sql: bare, params: params.slice(0, bare.split('?').length - 1), must: 'nothing' }
      }),
    )
    return true
  },
})

// Who overwrites a row sets it back, and a holder that says what it has would notice.
const blind = ({ have_until: _, ...ask }) => ask

export class Careless extends DurableObject {
  async lease_segment(ask) {
    const tables = new ObjectTables(this.ctx.storage)
    settled(tables)
    const read = async (queries) => queries.map((query) => tables.all(query))
    const works = new Works({ declared, clock: () => Date.now(), hasVersion: false })
    const write = async (steps) => steps.forEach((step) => tables.run(step))
    return { answer: await runFar(careless(read, write), () => works.lease_segment(blind(ask))) }
  }
}

const stores = {
  object: durableObjectStore('IDS'),
  d1: d1Store('DB', { tags }),
  'object, careless': durableObjectStore('CARELESS'),
  'd1, careless': {
    lease_segment(ask) {
      return runFar(database, () => works.lease_segment(blind(ask)))
    },
  },
}
let env
const d1 = new D1Tables(() => env.DB)
const database = careless((queries) => d1.read(queries), (steps) => d1.write(steps))
const works = new Works({ declared, hasVersion: true })

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
        // A holder refuses a range that it has had: the control has a new one each time.
        const holder = kind === 'careless' ? new Segment('orders', { store: stores[store] }) : generators[store][kind]
        await holder.fill(ids.subarray(at, at + 200))
      }
    } catch ({ code, message, cause }) {
      return Response.json({ code, message, cause: cause?.code }, { status: 500 })
    }
    return new Response(ids)
  },
}
