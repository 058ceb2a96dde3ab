// The tests' Worker: a request names an action; errors are returned.
import { broken } from './instances.mjs'
import { Segment, Snowflake, decode, memoryStore } from 'leafid'

// Generators at module scope, where asks, timers and randomness are forbidden.
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
   * Makes the engine trap at its next call, as a lack of stack or memory does; then goes on with the same store under
   * that name, another one, or an old copy of it.
   */
  async trapped({ store: what, kind }) {
    const now = () => Date.now()
    const original = memoryStore({ clock: now })
    const stores = {
      another: memoryStore({ clock: now }),
      // Ignores every check.
      careless: careless(memoryStore({ clock: now })),
      restored: memoryStore({ clock: now, id: original.id }),
      same: original,
    }
    let behind = original
    const verbs = ['leaseSegment', 'acquire', 'renew', 'release'].map((verb) => [verb, (ask) => behind[verb](ask)])
    const store = Object.fromEntries(verbs)
    const holder = kind === 'segment' ? new Segment('orders', { store }) : new Snowflake('default', { store })
    // Draws into the second range, to have an end that differs from the first.
    const before = kind === 'segment' ? (await holder.take(1_500)).at(-1) : await holder.next()
    const trapped = broken()
    behind = stores[what]
    // IDs in the pool were drawn before.
    let after
    for (let n = 0; n < 70 && after?.code === undefined; n++) after = await told(() => holder.next())
    const again = await told(() => holder.next())
    return { before, trapped, after, again, grants: holder.stats().grants }
  },

  decode: ({ id }) => ({ worker: decode(id).worker, time: decode(id).time }),
}

/** A store that ignores the store's id, and what its caller had. */
function careless(rows) {
  const verb = (name) => [name, ({ store: _, haveUntil: __, ...ask }) => rows[name](ask)]
  return Object.fromEntries(['leaseSegment', 'acquire', 'renew'].map(verb))
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
