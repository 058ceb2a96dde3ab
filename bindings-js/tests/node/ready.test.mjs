// Waiting until so many IDs are at hand: for hooks that cannot wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, memoryStore } from 'leafid'
import { ownStore, refusal } from '../support/stores.mjs'

/** A tag of a small step, in a store that answers later. */
function rows(step, max_step) {
  const store = memoryStore()
  store.createTag('orders', { step, max_step })
  return ownStore({ rows: store })
}

test('after `ready(n)`, n synchronous calls succeed in a row', async () => {
  for (const n of [1, 9, 50, 1_000]) {
    const orders = new Segment('orders', { store: rows(10, 1_000) })
    await orders.ready(n)
    const ids = Array.from({ length: n }, () => orders.nextSync())
    assert.equal(new Set(ids).size, n)
    assert.deepEqual([ids[0], ids.at(-1)], [1n, BigInt(n)])
  }
})

test('without it the same calls find nothing at hand: the control', async () => {
  const orders = new Segment('orders', { store: rows(10, 1_000) })
  await orders.next()
  const drawn = []
  const dry = await refusal(() => {
    for (;;) drawn.push(orders.nextSync())
  })
  assert.equal(dry.code, 'SEGMENT_DRY')
  assert.ok(drawn.length < 50, `${drawn.length} were at hand`)
})

test('snowflakes, many times and after draws of other kinds', async () => {
  const events = new Snowflake('default', { store: memoryStore() })
  let last = 0n
  for (let turn = 0; turn < 50; turn++) {
    await events.ready(200)
    for (let n = 0; n < 200; n++) {
      const id = events.nextSync()
      assert.ok(id > last)
      last = id
    }
    if (turn % 3 === 0) last = (await events.take(7)).at(-1)
  }
})

test('it draws nothing', async () => {
  const orders = new Segment('orders', { store: rows(10, 1_000) })
  await orders.ready(40)
  assert.deepEqual([orders.stats().ids, orders.stats().in_hand >= 40], [0, true])
  assert.equal(orders.nextSync(), 1n)
})

test('a count that can never be had is refused, not waited for', async () => {
  const orders = new Segment('orders', { store: rows(10, 100) })
  assert.equal((await refusal(() => orders.ready(101))).code, 'COUNT_INVALID')
  for (const n of [-1, 1.5, 2 ** 31, '5']) {
    assert.equal((await refusal(() => orders.ready(n))).code, 'COUNT_INVALID', `${n}`)
  }
})
