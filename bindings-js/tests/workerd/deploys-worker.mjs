// A Worker that draws from Durable Objects: all that a request asks for, or what it is refused with.
import { Segment, Snowflake } from 'leafid'
import { LeafidObject, durableObjectStore } from 'leafid/workers'

export class Ids extends LeafidObject {
  static tags = { orders: { from: '1', step: 100 } }
}

/** The same after somebody renamed it, and forgot `renamed_classes`. */
export class Renamed extends Ids {}

const store = durableObjectStore('IDS')
const generators = { segment: new Segment('orders', { store, maxGrowth: 2 }), snowflake: new Snowflake('default', { store }) }

export default {
  async fetch(request) {
    const kind = new URL(request.url).searchParams.get('kind')
    const ids = new BigUint64Array(100)
    try {
      await generators[kind].fill(ids)
    } catch ({ code, message, cause }) {
      return Response.json({ code, message, cause: cause?.code }, { status: 500 })
    }
    return new Response(ids)
  },
}
