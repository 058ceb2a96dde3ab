// A Worker over a Durable Object or a D1 database; the controls are without the store's guard.
import { Segment, Snowflake } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'
import { DurableObject, env } from 'cloudflare:workers'
import { careless } from './careless.mjs'

// Above 2^53, where a double has no odd numbers.
const tags = { orders: { from: '9007199254740993', step: 200, maxStep: 1000 } }

export class Ids extends LeafidObject {
  static tags = tags
}

export class Careless extends DurableObject {
  async leaseSegment(ask) {
    const { sql } = this.ctx.storage
    sql.exec(`CREATE TABLE IF NOT EXISTS tags (tag PRIMARY KEY, max_id); INSERT OR IGNORE INTO tags VALUES ('orders', ${tags.orders.from})`)
    return { answer: await careless((text) => sql.exec(text).toArray()).leaseSegment(ask) }
  }
}

const stores = { object: durableObjectStore('IDS'), d1: d1Store('DB', { tags }) }
const generators = Object.fromEntries(
  Object.entries(stores).map(([name, store]) => [name, { segment: new Segment('orders', { store, maxGrowth: 4 }), snowflake: new Snowflake('default', { store }) }]),
)

const controls = {
  object: durableObjectStore('CARELESS'),
  d1: careless(async (text) => (await env.DB.prepare(text).all()).results),
}

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    const [store, kind, n] = ['store', 'kind', 'n'].map((name) => searchParams.get(name))
    const ids = new BigUint64Array(Number(n))
    try {
      // The control of D1 needs the row.
      if (kind === 'careless') await generators[store].segment.next()
      for (let at = 0; at < ids.length; at += 200) {
        // A holder refuses a range that it has had, so the control uses a new one each time.
        const holder = kind === 'careless' ? new Segment('orders', { store: controls[store] }) : generators[store][kind]
        await holder.fill(ids.subarray(at, at + 200))
      }
    } catch ({ code, message, cause }) {
      return Response.json({ code, message, cause: cause?.code }, { status: 500 })
    }
    return new Response(ids)
  },
}
