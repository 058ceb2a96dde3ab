import { Layout, Segment, Snowflake, decode } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'

/**
 * What is handed out. A tag that is not declared is refused, so that a typo does not start a second sequence. `from` makes a tag;
 * remove it once the tag is made: an object that lost its storage then does not start there again.
 */
export class Ids extends LeafidObject {
  static tags = { orders: { from: '1', step: 1000 } }
  static namespaces = { default: { layout: Layout.edge } }
}

const store = durableObjectStore('IDS')
const orders = new Segment('orders', { store })
const events = new Snowflake('default', { store, layout: 'edge' })
// The same in a database, for an app that has one. It is a sequence of its own: never move a tag from one kind of store to the other.
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
