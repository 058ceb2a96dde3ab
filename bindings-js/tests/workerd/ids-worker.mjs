// A Worker over a Durable Object or a D1 database.
import { Segment, Snowflake } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'

// Above 2^53, where a double has no odd numbers.
const tags = { orders: { from: '9007199254740993', step: 200, max_step: 1000 } }

export class Ids extends LeafidObject {
  static tags = tags
}

const stores = { object: durableObjectStore('IDS'), d1: d1Store('DB', { tags }) }

const generators = Object.fromEntries(
  Object.entries(stores).map(([name, store]) => [name, { segment: new Segment('orders', { store, maxGrowth: 4 }), snowflake: new Snowflake('default', { store }) }]),
)

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    const [store, kind, n] = ['store', 'kind', 'n'].map((name) => searchParams.get(name))
    const ids = new BigUint64Array(Number(n))
    try {
      for (let at = 0; at < ids.length; at += 200) await generators[store][kind].fill(ids.subarray(at, at + 200))
    } catch ({ code, message, cause }) {
      return Response.json({ code, message, cause: cause?.code }, { status: 500 })
    }
    return new Response(ids)
  },
}
