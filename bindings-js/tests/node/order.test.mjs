// Callers that wait are served in the order in which they came.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, memoryStore } from 'leafid'
import { ownStore, refusal, refuses, tagged, until } from '../support/stores.mjs'

const soon = () => new Promise((resolve) => setImmediate(resolve))

/** Calls and notes: who was answered when, and with what. */
function caller() {
  const order = []
  const got = []
  const ask = (name, work) => work.then((ids) => (order.push(name), got.push(ids)))
  return { ask, order, got }
}

const ascends = (ids) => ids.every((id, at) => at === 0 || id > ids[at - 1])

for (const [step, many] of [[1, 60], [7, 300], [100, 5_000]]) {
  test(`${many} callers of a line with steps of ${step}`, async () => {
    const rows = memoryStore()
    rows.createTag('orders', { step, max_step: step })
    const orders = new Segment('orders', { store: ownStore({ rows, delay: soon }) })
    const { ask, order, got } = caller()
    await Promise.all(Array.from({ length: many }, (_, name) => ask(name, orders.next())))
    assert.deepEqual(order, Array.from({ length: many }, (_, name) => name))
    assert.ok(ascends(got))
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
