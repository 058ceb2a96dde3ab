import { Layout, Segment, Snowflake, decode } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'

/**
 * The tags. An undeclared one is refused, so that a typo does not start a second sequence. `from` creates a tag;
 * remove it once the tag exists: then an object that lost its storage does not start there again.
 */
export class Ids extends LeafidObject {
  static tags = { orders: { from: '1', step: 1000 } }
  static namespaces = { default: { layout: Layout.edge } }
}

const store = durableObjectStore('IDS')
const orders = new Segment('orders', { store })
const events = new Snowflake('default', { store, layout: 'edge' })
// The same in a D1 database. It has sequences of its own: never move a tag between the two kinds of stores.
const invoices = new Segment('invoices', { store: d1Store('DB', { tags: { invoices: { from: '5000001' } } }) })

export default {
  async fetch(request) {
    switch (new URL(request.url).pathname) {
      case '/orders':
        return Response.json({ order: await orders.nextString() })
      case '/events': {
        const id = await events.next()
        const { time, worker } = decode(id, 'edge')
        return Response.json({ event: id.toString(), time, worker })
      }
      case '/invoices':
        return Response.json({ invoice: await invoices.nextString() })
      default:
        return new Response('try /orders, /events or /invoices\n', { status: 404 })
    }
  },
}
