// Waiting callers: the order in which they are served, and the asks for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Segment, Snowflake, httpStore, memoryStore } from 'leafid'
import { isolated } from 'leafid/testing'
import { httpServer, ownStore, refusal, refuses, tagged, until, wire } from '../support/stores.mjs'

const soon = () => new Promise((resolve) => setImmediate(resolve))

/** Records calls: which was answered when, and with what. */
function caller() {
  const order = []
  const got = []
  const ask = (name, work) => work.then((ids) => (order.push(name), got.push(ids)))
  return { ask, order, got }
}

const ascends = (ids) => ids.every((id, at) => at === 0 || id > ids[at - 1])

for (const [step, many] of [[1, 60], [7, 300], [100, 5_000], [1_000, 500]]) {
  test(`${many} callers of a line with steps of ${step}`, async () => {
    const store = ownStore({ rows: tagged(step), delay: soon })
    const orders = new Segment('orders', { store })
    const { ask, order, got } = caller()
    await Promise.all(Array.from({ length: many }, (_, name) => ask(name, orders.next())))
    assert.deepEqual(order, Array.from({ length: many }, (_, name) => name))
    assert.ok(ascends(got))
    // An ask without an answer for three seconds is sent again with the same request id.
    const leases = new Set(store.asked.map(([, { request }]) => request)).size
    if (many < step) assert.ok(leases <= 2, `${leases} leases, which all share`)
  })
}

test('who wants many is not starved by those who come later and want one', async (t) => {
  const rows = tagged(10, 100)
  const gates = []
  const orders = new Segment('orders', { store: ownStore({ rows, delay: () => new Promise((resolve) => gates.push(resolve)) }) })
  const { ask, order } = caller()
  const all = [ask('many', orders.take(40)), ask('one', orders.next()), ask('two', orders.next())]
  const open = setInterval(() => gates.splice(0).forEach((gate) => gate()), 1)
  t.after(() => clearInterval(open))
  await Promise.all(all)
  assert.deepEqual(order, ['many', 'one', 'two'])
})

test('a count that can never be had is refused, and holds nobody up behind it', async () => {
  const rows = tagged(10)
  const orders = new Segment('orders', { store: ownStore({ rows, delay: soon }) })
  const many = refusal(() => orders.take(1_000))
  const ones = Promise.all(Array.from({ length: 30 }, () => orders.next()))
  assert.equal((await many).code, 'COUNT_INVALID')
  assert.equal(new Set(await ones).size, 30)
})

test('an error is the caller’s own, with the stack of its call', async () => {
  const store = { leaseSegment: async () => Promise.reject(Object.assign(new Error('no'), { code: 'FORBIDDEN' })) }
  const orders = new Segment('orders', { store })
  async function placeOrder() {
    return await orders.next()
  }
  const errors = await Promise.all([refuses(placeOrder, 'FORBIDDEN'), refuses(placeOrder, 'FORBIDDEN')])
  assert.notEqual(errors[0], errors[1])
  for (const { stack } of errors) assert.match(stack, /placeOrder/)
})

test('closing a segment waits for no lease that is on its way', async () => {
  const orders = new Segment('orders', { store: { leaseSegment: () => new Promise(() => {}) }, timeout: 100 })
  await refusal(() => orders.next())
  let isClosed = false
  void orders.close().then(() => (isClosed = true))
  await soon()
  assert.ok(isClosed)
})

test('an ask without an answer is cut after 3 s, and sent again under the same request', { timeout: 120_000 }, async (t) => {
  const right = wire(memoryStore())
  const server = await httpServer(t, (request) => (server.seen.length === 1 ? new Promise(() => {}) : right(request)))
  let aborted = 0
  const lost = async (url, init) => fetch(url, init).catch((error) => Promise.reject(((aborted += 1), error)))
  assert.equal(await new Segment('orders', { store: httpStore(server.url, { fetch: lost }) }).next(), 1n)
  const requests = server.seen.map(({ body }) => JSON.parse(body).request)
  assert.deepEqual([aborted, requests.length, new Set(requests).size], [1, 2, 1])
})

const KEPT = ownStore()
/** The weak list by which tests find generators. */
const { generators } = globalThis[Symbol.for('leafid')]
const ABANDONED = {
  'a generator that nobody holds is collected, its timer with it': async (ids) => ids,
  'and one that only its own store holds': async (ids, store) => (store.ids = ids),
  'and one that a test redirected': async (ids) => {
    const { restore } = isolated()
    await ids.next()
    restore()
    await ids.next()
  },
}

for (const [what, use] of Object.entries(ABANDONED)) {
  test(what, async () => {
    const held = await (async () => {
      const store = use.length === 2 ? ownStore() : KEPT
      const ids = new Snowflake('default', { store })
      await ids.next()
      await use(ids, store)
      return [new WeakRef(ids), [...generators].at(-1)]
    })()
    assert.ok(generators.has(held[1]))
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc')
    await until(() => {
      gc()
      return held[0].deref() === undefined && !generators.has(held[1])
    })
  })
}
