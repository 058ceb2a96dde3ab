// Filling arrays, whole or with what is at hand; and counts that can never be had.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { Segment, memoryStore } from 'leafid'
import { ownStore, refusal, refuses } from '../support/stores.mjs'

const MARK = 7n

/** An array that shows where it was written. */
function marked(length, buffer = new ArrayBuffer(8 * length)) {
  return new BigUint64Array(buffer).fill(MARK)
}

function untouched(array) {
  assert.ok(array.every((id) => id === MARK), `${array.subarray(0, 5)}`)
}

/** A tag with this step in a store that answers at once, or later. */
function tag(step, maxStep, { later = false } = {}) {
  const rows = memoryStore()
  rows.createTag('orders', { step, maxStep })
  return later ? ownStore({ rows }) : rows
}

test('an array in pieces: larger than the engine is given at once', async () => {
  const orders = new Segment('orders', { store: tag(1_000_000, 1_000_000) })
  await orders.next()
  const array = marked(200_001)
  await orders.fill(array)
  assert.ok(array.every((id, at) => id === BigInt(at + 2)))
})

test('more than the tag ever gives: its own step is leased once', async () => {
  const array = marked(1_000_001)
  const calls = {
    'take(1e9)': (orders) => orders.take(1e9),
    'takeSync(1_000_001)': (orders) => orders.takeSync(1_000_001),
    'ready(1_000_001)': (orders) => orders.ready(1_000_001),
    'fill(1_000_001)': (orders) => orders.fill(array),
    'fillSync(1_000_001)': (orders) => orders.fillSync(array),
  }
  for (const [what, call] of Object.entries(calls)) {
    const rows = memoryStore()
    const orders = new Segment('orders', { store: rows })
    await refuses(() => call(orders), 'COUNT_INVALID', 'tag `orders` gives at most 1000000 IDs at once: ask for fewer IDs at once')
    untouched(array)
    const { asks, grants, inHand, ids } = orders.stats()
    assert.deepEqual([asks, grants, inHand, ids], [1, 1, 1_000, 0], what)
    assert.equal(await orders.next(), 1n)
    assert.equal(rows.leaseSegment({ tag: 'orders', request: '01'.repeat(16) }).start, 1_001n)
  }
})

test('a refusal leaves the array as it was, with some at hand', async () => {
  let answers = true
  const store = ownStore({ rows: tag(100, 100), delay: () => (answers ? undefined : new Promise(() => {})) })
  const orders = new Segment('orders', { store, timeout: 60 })
  await orders.next()
  answers = false
  for (let n = 0; n < 20; n++) orders.nextSync()
  const { ids, inHand } = orders.stats()
  const array = marked(inHand + 1)
  assert.equal((await refusal(() => orders.fill(array))).code, 'TIMED_OUT')
  assert.equal((await refusal(() => orders.fillSync(array))).code, 'SEGMENT_DRY')
  untouched(array)
  assert.deepEqual([orders.stats().ids, orders.stats().inHand], [ids, inHand])
  orders.fillSync(array.subarray(0, inHand))
  assert.deepEqual([array[0], array[inHand - 1], array[inHand]], [22n, 100n, MARK])
})

test('stopped while an array is filled: no place stays empty', async () => {
  for (const all of [true, false]) {
    const rows = tag(100, 100)
    let isOther = false
    const leaseSegment = (ask) => ({ ...rows.leaseSegment(ask), ...(isOther ? { store: '5a'.repeat(16) } : {}) })
    const orders = new Segment('orders', { store: { leaseSegment } })
    // Some IDs come from the pool, and the rest goes below the share at which more are asked for.
    for (let n = 0; n < 8; n++) orders.nextSync()
    isOther = true
    const array = marked(all ? 60 : 500)
    const count = all ? (orders.fillSync(array), 60) : orders.fillAvailable(array)
    assert.deepEqual([...array.subarray(0, count)], Array.from({ length: all ? 60 : 92 }, (_, n) => BigInt(n + 9)))
    untouched(array.subarray(count))
    assert.equal((await refusal(() => orders.nextSync())).code, 'STORE_CHANGED')
  }
})

test('an array that is detached while its caller waits', async () => {
  let go
  const gate = new Promise((resolve) => (go = resolve))
  const orders = new Segment('orders', { store: ownStore({ delay: () => gate }) })
  const array = marked(8)
  const waiting = refusal(() => orders.fill(array))
  structuredClone(array.buffer, { transfer: [array.buffer] })
  go()
  const error = await waiting
  assert.equal(error.code, 'REQUEST_INVALID')
  assert.match(error.message, /room for 8 IDs/)
  assert.equal(await orders.next(), 1n)
})

test('fillAvailable gives what is at hand, and says how many', async () => {
  // The second store answers at once.
  for (const [later, count] of [[true, 99], [false, 500]]) {
    const orders = new Segment('orders', { store: tag(100, 100, { later }) })
    await orders.next()
    const array = marked(500)
    assert.equal(orders.fillAvailable(array), count)
    assert.deepEqual([...array.subarray(0, count)], Array.from({ length: count }, (_, n) => BigInt(n + 2)))
    untouched(array.subarray(count))
    assert.equal(await orders.next(), BigInt(count + 2))
  }
})

test('arrays of another realm and of shared memory are filled, look-alikes refused', async () => {
  const ids = new Segment('orders', { store: tag(100, 1_000) })
  for (const [array, base] of [[runInNewContext('new BigUint64Array(3)'), 0n], [marked(3, new SharedArrayBuffer(24)), 6n]]) {
    assert.equal(array instanceof BigUint64Array, base > 0n)
    await ids.fill(array)
    ids.fillSync(array.subarray(1))
    assert.equal(ids.fillAvailable(array.subarray(2)), 1)
    assert.deepEqual(Array.from(array), [1n, 4n, 6n].map((id) => base + id))
  }
  for (const other of ['new BigInt64Array(3)', 'new Uint8Array(8)', "({ length: 3, [Symbol.toStringTag]: 'BigUint64Array' })"]) {
    assert.equal((await refusal(() => ids.fill(runInNewContext(other)))).code, 'REQUEST_INVALID')
  }
})
