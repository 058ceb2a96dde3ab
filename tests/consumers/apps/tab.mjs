// A tab that draws for as long as it is open, and tells each batch that it got.
import { Segment, Snowflake } from 'leafid'
import 'leafid/registry'

const query = new URLSearchParams(location.search)
const store = query.get('store') ?? location.origin
const orders = new Segment('tabs', { store })
const events = new Snowflake('default', { store })

async function draws() {
  for (;;) {
    const ids = { numbers: [], stamps: [] }
    for (let n = 0; n < 100; n++) {
      ids.numbers.push(await orders.nextString())
      ids.stamps.push(await events.nextString())
    }
    await fetch('/told', { method: 'POST', body: JSON.stringify({ tab: query.get('tab'), ...ids }) })
  }
}

draws().catch((error) => fetch('/told', { method: 'POST', body: JSON.stringify({ error: String(error?.stack ?? error) }) }))
