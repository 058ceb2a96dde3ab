// A page, or a service worker, that draws whenever it is told to, comes to life or comes back, and tells what it got.
import { Segment, Snowflake, memoryStore } from 'leafid/inline'

const COUNT = 50
/** Which memory image this is. */
const life = crypto.randomUUID()

/** What draws from a store: its own one, or one that all share. */
export function holder({ store, namespace = 'default' }) {
  const option = { store: store === 'own' ? memoryStore() : store }
  const [numbers, stamps] = [new Segment('lives', option), new Snowflake(namespace, option)]
  return async () => {
    const got = { numbers: [], stamps: [] }
    for (let n = 0; n < COUNT; n++) {
      got.numbers.push(await numbers.nextString())
      got.stamps.push(await stamps.nextString())
    }
    return { life, ...got }
  }
}

/** What is wanted, as the address says it. */
export const wanted = (address) => ({ store: location.origin, ...Object.fromEntries(new URL(address).searchParams) })

/** Posts it to whoever runs the test. */
export const tell = (told) => fetch('/told', { method: 'POST', body: JSON.stringify(told) })
