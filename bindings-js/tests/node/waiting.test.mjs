// Callers that wait: in which order they are served, and what is asked for them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Segment, Snowflake, memoryStore } from 'leafid'
import { httpServer, ownStore, refusal, refuses, tagged, until } from '../support/stores.mjs'

const soon = () => new Promise((resolve) => setImmediate(resolve))

/** Calls and notes: who was answered when, and with what. */
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
    // One that has no answer for three seconds is sent again under the same request.
    const leases = new Set(store.asked.map(([, { request }]) => request)).size
    if (many < step) assert.ok(leases <= 2, `${leases} leases, which all share`)
  })
}

test('snowflakes of a tick with few positions', async () => {
  const rows = memoryStore()
  rows.createNamespace('small', { layout: { epoch_ms: 1_700_000_000_000, tick_ms: 10, time_bits: 41, worker_bits: 10, sequence_bits: 2 } })
  const ids = new Snowflake('small', { store: ownStore({ rows, delay: soon }), maxAheadMs: 0 })
  const { ask, order, got } = caller()
  await Promise.all(Array.from({ length: 120 }, (_, name) => ask(name, ids.next())))
  assert.deepEqual(order, Array.from({ length: 120 }, (_, name) => name))
  assert.ok(ascends(got))
})

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

test('one who gives up does not hold up the next', async () => {
  let gate
  const store = ownStore({ delay: () => new Promise((resolve) => (gate = resolve)) })
  const orders = new Segment('orders', { store })
  const stop = new AbortController()
  const first = orders.next({ signal: stop.signal }).catch((error) => error)
  const second = orders.next()
  await until(() => gate !== undefined)
  const reason = new Error('enough')
  stop.abort(reason)
  assert.equal(await first, reason)
  gate()
  assert.equal(await second, 1n)
})

test('an error is the caller’s own, with the stack of its call', async () => {
  const store = { lease_segment: async () => Promise.reject(Object.assign(new Error('no'), { code: 'FORBIDDEN' })) }
  const orders = new Segment('orders', { store })
  async function placeOrder() {
    return await orders.next()
  }
  const errors = await Promise.all([refuses(placeOrder, 'FORBIDDEN'), refuses(placeOrder, 'FORBIDDEN')])
  assert.notEqual(errors[0], errors[1])
  for (const { stack } of errors) assert.match(stack, /placeOrder/)
})

test('closing a segment waits for no lease that is on its way', async () => {
  const orders = new Segment('orders', { store: { lease_segment: () => new Promise(() => {}) }, timeout: 100 })
  await refusal(() => orders.next())
  let isClosed = false
  void orders.close().then(() => (isClosed = true))
  await soon()
  assert.ok(isClosed)
})

test('while a range is asked for, the one in hand is spent without a wait', async () => {
  const rows = tagged(1000)
  let slow = false
  const store = ownStore({ rows, delay: () => (slow ? new Promise((resolve) => setTimeout(resolve, 20)) : undefined) })
  const orders = new Segment('orders', { store })
  await orders.next()
  slow = true
  let last = 1n
  for (let n = 0; n < 5_000; n++) {
    const id = await orders.next()
    assert.equal(id, (last += 1n))
    if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  assert.equal(orders.stats().waits, 1)
})

// Together, for most of it waits.
describe('asks without an answer', { concurrency: true }, () => {
  test('an unanswered ask is sent again under the same request', { timeout: 120_000 }, async () => {
    const rows = memoryStore()
    const asked = []
    const store = {
      lease_segment(ask) {
        asked.push(ask)
        return asked.length === 1 ? new Promise(() => {}) : rows.lease_segment(ask)
      },
    }
    const orders = new Segment('orders', { store })
    assert.equal(await orders.next(), 1n)
    assert.equal(asked.length, 2)
    assert.equal(asked[0].request, asked[1].request)
  })

  test('an ask over HTTP is cut after 3 s', { timeout: 120_000 }, async (t) => {
    let aborted = 0
    const server = await httpServer(t, () => new Promise(() => {}))
    const orders = new Segment('orders', {
      timeout: 6_000,
      store: {
        lease_segment: (_, signal) =>
          fetch(server.url, { method: 'POST', signal }).catch((error) => {
            aborted += 1
            throw error
          }),
      },
    })
    const error = await refusal(() => orders.next())
    assert.equal(error.cause.code, 'STORE_UNAVAILABLE')
    assert.ok(aborted >= 1)
  })
})

test('IDs at hand go on being handed out while the store fails', async () => {
  let fails = false
  const rows = tagged(100)
  const store = {
    lease_segment(ask) {
      if (fails) throw new Error('down')
      return rows.lease_segment(ask)
    },
  }
  const orders = new Segment('orders', { store, timeout: 100 })
  assert.equal(await orders.next(), 1n)
  fails = true
  for (let id = 2n; id <= 100n; id++) assert.equal(await orders.next(), id)
  assert.ok(orders.stats().failures >= 1)
  assert.equal((await refusal(() => orders.next())).code, 'TIMED_OUT')
  fails = false
  await until(() => orders.next().then((id) => id === 101n, () => false))
})

test('a generator that nobody holds is collected, its timer with it', async () => {
  const store = ownStore()
  const held = await (async () => {
    const ids = new Snowflake('default', { store })
    await ids.next()
    return new WeakRef(ids)
  })()
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  await until(() => {
    gc()
    return held.deref() === undefined
  })
})
