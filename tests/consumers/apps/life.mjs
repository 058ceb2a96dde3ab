// Draws in a page or service worker on request, at its start and when it comes back, and reports the IDs.
import { Segment, Snowflake, memoryStore } from 'leafid'

const COUNT = 50
/** Identifies this memory image. */
const life = crypto.randomUUID()

/** Makes generators over a store of its own, or one that all share. */
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

/** The options, from the address. */
export const wanted = (address) => ({ store: location.origin, ...Object.fromEntries(new URL(address).searchParams) })

/** Posts a report to the test. */
export const tell = (told) => fetch('/told', { method: 'POST', body: JSON.stringify(told) })
