// The Worker of these tests: a request names what is to be done; what is thrown is told.
import { broken } from './instances.mjs'
import { Segment, Snowflake, decode, memoryStore } from 'leafid'
import 'leafid/registry'

// Generators of the module's scope, where nothing may be asked, timed or drawn by lot.
const orders = new Segment('orders', { timeout: 300_000 })
const ids = new Snowflake('default')
const early = told(() => orders.nextSync())

const ACTS = {
  early: () => early,
  next: async () => ({ number: await orders.next(), stamp: await ids.next() }),
  number: async () => ({ number: await orders.next() }),
  sync: () => ({ number: orders.nextSync() }),
  take: async ({ n }) => ({ numbers: await orders.take(Number(n)) }),
  stats: () => ({ orders: orders.stats(), ids: ids.stats() }),

  /**
   * Makes the engine trap at its next call, as running out of stack or memory does; then goes on, where behind the store's name
   * stands the same store, another one, or the same as it was long before.
   */
  async trapped({ store: what, kind }) {
    const now = () => Date.now()
    const original = memoryStore({ clock: now })
    const stores = {
      another: memoryStore({ clock: now }),
      // It looks at nothing that it is asked.
      careless: careless(memoryStore({ clock: now })),
      restored: memoryStore({ clock: now, id: original.id }),
      same: original,
    }
    let behind = original
    const verbs = ['lease_segment', 'acquire', 'renew', 'release'].map((verb) => [verb, (ask) => behind[verb](ask)])
    const store = Object.fromEntries(verbs)
    const holder = kind === 'segment' ? new Segment('orders', { store }) : new Snowflake('default', { store })
    // Into the second range: there is an end to know that is not the first one.
    const before = kind === 'segment' ? (await holder.take(1_500)).at(-1) : await holder.next()
    const trapped = broken()
    behind = stores[what]
    // What lies in the pool was drawn before.
    let after
    for (let n = 0; n < 70 && after?.code === undefined; n++) after = await told(() => holder.next())
    const again = await told(() => holder.next())
    return { before, trapped, after, again, grants: holder.stats().grants }
  },

  decode: ({ id }) => ({ worker: decode(id).worker, time: decode(id).time }),
}

/** A store that does not look at the store's id, nor at what its caller had. */
function careless(rows) {
  const verb = (name) => [name, ({ store: _, have_until: __, ...ask }) => rows[name](ask)]
  return Object.fromEntries(['lease_segment', 'acquire', 'renew'].map(verb))
}

function told(act) {
  const tell = ({ name, code, message, cause }) => ({ name, code, message, cause: cause?.code ?? cause?.message })
  try {
    const got = act()
    return got instanceof Promise ? got.then((value) => ({ value }), tell) : { value: got }
  } catch (error) {
    return tell(error)
  }
}

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const body = await told(async () => ACTS[pathname.slice(1)](Object.fromEntries(searchParams)))
    const text = JSON.stringify(body.value ?? body, (_, item) => (typeof item === 'bigint' ? item.toString() : item))
    return new Response(text, { status: body.code === undefined ? 200 : 500 })
  },
}
