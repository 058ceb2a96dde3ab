// The verbs of both generators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, decode, memoryStore } from 'leafid'
import { ownStore, refusal, refuses, tagged } from '../support/stores.mjs'

test('whatever way IDs are drawn, they ascend without a gap', async () => {
  const orders = new Segment('orders', { store: tagged(50, 1_000) })
  assert.equal(orders.tag, 'orders')
  const buffer = new BigUint64Array(37)
  let last = 0n
  const see = (...ids) => {
    for (const id of ids) assert.equal(id, (last += 1n))
  }
  let seed = 7
  for (let turn = 0; turn < 3_000; turn++) {
    seed = (seed * 48271) % 2147483647
    const part = buffer.subarray(0, (seed % 37) + 1)
    if (turn % 500 === 0) see(BigInt(await orders.nextString()), BigInt(orders.nextStringSync()), BigInt(await orders.nextNumber()))
    if (seed % 7 === 0) see(...orders.takeSync((seed % 90) + 1))
    else if (seed % 7 === 1) see(...buffer.subarray(0, orders.fillAvailable(buffer)))
    else if (seed % 7 === 2) see(await orders.next())
    else if (seed % 7 === 3) see(...(await orders.take((seed % 90) + 1)))
    else if (seed % 7 === 4) {
      await orders.fill(part)
      see(...part)
    } else if (seed % 7 === 5) {
      orders.fillSync(part)
      see(...part)
    } else for (let n = 0; n < seed % 40; n++) see(orders.nextSync())
    // Regardless of the pool.
    const { ids, dropped, gaps } = orders.stats()
    assert.deepEqual([ids, dropped, gaps], [Number(last), 0, 0])
  }
  const { waits, failures, asks, grants } = orders.stats()
  assert.deepEqual([waits, failures, asks === grants], [1, 0, true])
})

test('a number is exact, or it is RANGE_INVALID', async () => {
  const store = memoryStore()
  const leaf = new Snowflake('default', { store })
  assert.equal((await refusal(() => leaf.nextNumber())).code, 'RANGE_INVALID')
  const small = new Snowflake('small', { store, layout: 'js53' })
  const number = await small.nextNumber()
  assert.ok(Number.isSafeInteger(number))
  assert.ok(Math.abs(decode(BigInt(number), { layout: 'js53' }).time - Date.now()) < 60_000)
})

test('nothing is asked for before the first ID, nor for none', async () => {
  const store = ownStore()
  const [orders, ids] = [new Segment('orders', { store }), new Snowflake('default', { store })]
  assert.deepEqual([await orders.take(0), orders.takeSync(0), await orders.ready(0)], [[], [], undefined])
  const none = new BigUint64Array(0)
  assert.deepEqual([await orders.fill(none), orders.fillSync(none), orders.fillAvailable(none)], [undefined, undefined, 0])
  await new Promise((resolve) => setImmediate(resolve))
  await ids.close()
  assert.deepEqual([orders.stats().asks, ids.stats().asks, store.asked], [0, 0, []])
})

test('close gives the rest of a window back, once, and ends everything', async () => {
  const store = ownStore()
  const ids = new Snowflake('default', { store })
  const last = (await ids.take(10)).at(-1)
  await ids.close()
  await ids.close()
  const released = store.asked.filter(([verb]) => verb === 'release')
  assert.equal(released.length, 1)
  const [, { worker, unusedFrom, key, namespace }] = released[0]
  assert.equal(namespace, 'default')
  assert.equal(worker, decode(last).worker)
  assert.ok(unusedFrom > decode(last).tick && unusedFrom <= decode(last).tick + 2n)
  assert.equal(key, store.asked[0][1].request)
  const array = new BigUint64Array(1)
  for (const act of [() => ids.next(), () => ids.nextSync(), () => ids.take(2), () => ids.fill(array), () => ids.fillSync(array), () => ids.fillAvailable(array)]) {
    await refuses(act, 'CLOSED', 'namespace `default` is closed: create a new one')
  }
  const segment = new Segment('orders', { store })
  await segment.next()
  await segment[Symbol.asyncDispose]()
  assert.equal((await refusal(() => segment.nextSync())).code, 'CLOSED')
})

test('a window that comes after close is given back', async () => {
  let let_go
  const gate = new Promise((resolve) => (let_go = resolve))
  const store = ownStore({ delay: (verb) => (verb === 'acquire' ? gate : undefined) })
  const ids = new Snowflake('default', { store })
  const waiting = refusal(() => ids.next())
  const closed = ids.close()
  let_go()
  await closed
  assert.equal((await waiting).code, 'CLOSED')
  assert.deepEqual(store.verbs(), ['acquire', 'release'])
})

test('forget drops everything in hand and says nothing to the store', async () => {
  const store = ownStore()
  const orders = new Segment('orders', { store })
  const ids = new Snowflake('default', { store })
  for (let n = 0; n < 10; n++) assert.ok((await orders.next()) < 1_000n)
  const before = await ids.next()
  orders.forget()
  ids.forget()
  assert.equal(store.verbs().filter((verb) => verb === 'release').length, 0)
  assert.ok((await orders.next()) > 1_000n)
  const after = await ids.next()
  assert.ok(after > before)
  assert.notEqual(decode(after).worker, decode(before).worker)
  assert.ok(orders.stats().dropped > 900)
})

test('after `ready(n)`, n synchronous calls succeed in a row', async () => {
  const rows = tagged(10, 1_000)
  for (const [kind, n] of [1, 9, 50, 1_000].flatMap((n) => [[Segment, n], [Snowflake, n]])) {
    const one = new kind('orders', { store: ownStore({ rows }) })
    await one.ready(n)
    assert.deepEqual([one.stats().ids, one.stats().inHand >= n], [0, true])
    assert.equal(new Set(Array.from({ length: n }, () => one.nextSync())).size, n)
  }
})

test('a number is not kept for a name that ends with the process', async () => {
  const made = (options) => () => new Snowflake('default', { store: memoryStore(), ...options })
  await refuses(made({ sticky: true }), 'REQUEST_INVALID', /^`sticky` keeps a number for an `owner`, and there is none: pass one that is the same after a restart/)
  await refuses(made({ owner: 'api-0', strict: true }), 'REQUEST_INVALID', /pass `sticky: true` with it$/)
  for (const [name, wrong] of [['sticky', 'yes'], ['strict', 1]]) {
    await refuses(made({ owner: 'api-0', sticky: true, [name]: wrong }), 'REQUEST_INVALID', new RegExp(`^\`${name}\` must be `))
  }
})
