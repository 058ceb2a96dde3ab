// Dry lines: who waits, how long, and what is asked meanwhile.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Segment, Snowflake, memoryStore } from 'leafid'
import { httpServer, ownStore, refusal, tagged, until } from '../support/stores.mjs'

test('many waiting callers share one lease, each with its own ID', async () => {
  const gates = []
  const store = ownStore({ delay: () => new Promise((resolve) => gates.push(resolve)) })
  const orders = new Segment('orders', { store })
  const waiting = Array.from({ length: 500 }, () => orders.next())
  await until(() => gates.length >= 1)
  gates[0]()
  const ids = await Promise.all(waiting)
  assert.equal(new Set(ids).size, 500)
  assert.deepEqual(ids.map(Number).sort((a, b) => a - b), Array.from({ length: 500 }, (_, n) => n + 1))
  assert.ok(store.asked.length <= 2, `${store.asked.length} leases`)
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
