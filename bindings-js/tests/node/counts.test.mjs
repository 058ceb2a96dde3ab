// Counts that can never be had: what is leased for them, and what is asked for afterwards.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Segment, memoryStore } from 'leafid'
import { storeFor } from '../support/store.mjs'
import { ownStore, refusal, refuses, tagged } from '../support/stores.mjs'

const ASK = { tag: 'orders', request: '01'.repeat(16) }

describe('the first call asks for more than the tag allows: its own step is leased once, and stays at hand', () => {
  const calls = {
    'await take(1e9)': (orders) => orders.take(1e9),
    'await take(1_000_001)': (orders) => orders.take(1_000_001),
    'takeSync(1_000_001)': (orders) => orders.takeSync(1_000_001),
    'await fill(1_000_001)': (orders) => orders.fill(new BigUint64Array(1_000_001)),
    'fillSync(1_000_001)': (orders) => orders.fillSync(new BigUint64Array(1_000_001)),
  }
  for (const [what, call] of Object.entries(calls)) {
    test(what, async () => {
      const rows = memoryStore()
      const orders = new Segment('orders', { store: rows })
      await refuses(() => call(orders), 'COUNT_INVALID', /at most 1000000 IDs/)
      const { asks, grants, in_hand, ids } = orders.stats()
      assert.deepEqual([asks, grants, in_hand, ids], [1, 1, 1_000, 0])
      assert.equal(await orders.next(), 1n)
      assert.equal(rows.lease_segment(ASK).start, 1_001n)
    })
  }
})

test('over HTTP: take(1e9) of the real store costs one lease', async (t) => {
  const store = await storeFor(t, { tags: { orders: {} } })
  const orders = new Segment('orders', { store: store.url })
  await refuses(() => orders.take(1e9), 'COUNT_INVALID')
  assert.equal(await orders.next(), 1n)
  assert.equal(await new Segment('orders', { store: store.url }).next(), 1_001n)
})

test('as many as the tag allows are leased in one go', async () => {
  const rows = memoryStore()
  const store = ownStore({ rows })
  const orders = new Segment('orders', { store })
  assert.equal((await orders.take(5_000)).at(-1), 5_000n)
  const [, { at_least, step }] = store.asked[0]
  assert.deepEqual([at_least, step], [5_000, undefined])
})

test('after a count that was refused, nothing is asked for because of it', async () => {
  const rows = tagged(100)
  let now = 0
  let leases = 0
  const store = {
    async lease_segment(ask) {
      await new Promise((resolve) => setTimeout(resolve))
      // Somebody else leases before every second one, so that what comes does not adjoin.
      if (leases++ % 2 === 1) rows.lease_segment({ ...ASK, request: leases.toString(16).padStart(32, '0') })
      return rows.lease_segment(ask)
    },
  }
  const orders = new Segment('orders', { store, clock: () => now, timeout: 60_000 })
  for (const act of [() => orders.take(500), () => orders.take(500), () => orders.takeSync(500)]) {
    assert.equal((await refusal(act)).code, 'COUNT_INVALID')
  }
  const before = leases
  // At each of these turns every pause is over, and every timer has run.
  for (let turn = 0; turn < 200; turn++) {
    now += 10_000
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  assert.ok(leases - before <= 1, `${leases - before} leases in 200 turns, ${before} before`)
  assert.equal(orders.stats().dropped, 0)
  assert.equal(await orders.next(), 1n)
})
