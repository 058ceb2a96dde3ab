// `isolated` of `leafid/testing`: all generators draw from a test's store, also those of the package's other copy.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Segment, Snowflake, decode, memoryStore } from 'leafid'
import { isolated } from 'leafid/testing'
import { scratch } from '../support/ends.mjs'
import { common } from '../support/package.mjs'
import { httpServer, ownStore, refuses, timedOut, until, wire } from '../support/stores.mjs'

const draw = (ids, n = 3) => Promise.all(Array.from({ length: n }, () => ids.next()))
const { Segment: CommonSegment, memoryStore: commonStore } = common('leafid')

beforeEach(() => delete process.env.LEAFID_STORE)
/** Begins a test that ends with the enclosing one. */
const begun = []
const begin = () => begun[begun.push(isolated()) - 1]
const end = () => begun.splice(0).reverse().forEach(({ restore }) => restore())
afterEach(end)

for (const turn of [0, 1]) {
  test(`numbers begin at 1, turn ${turn}`, async () => {
    const { store } = begin()
    assert.deepEqual(await draw(new Segment('orders')), [1n, 2n, 3n])
    assert.ok((await new Segment('orders').next()) > 3n, 'the same store within a test')
    assert.ok(store.leaseSegment({ tag: 'orders', request: '01'.repeat(16) }).start > 3n)
  })
}

test('generators that exist are redirected, used or not, and are afterwards as before', async (t) => {
  const server = await httpServer(t, wire(memoryStore()))
  const state = join(scratch(t), 'events')
  const unused = new Segment('orders')
  const used = new Segment('orders', { store: server.url })
  const other = new CommonSegment('orders', { store: server.url, timeout: 300_000 })
  const far = new Segment('orders', { store: 'http://192.0.2.1:1', timeout: 50 })
  const events = new Snowflake('default', { state })
  const own = [new Segment('orders', { store: memoryStore() }), new CommonSegment('orders', { store: memoryStore() }), new Segment('orders', { store: commonStore() })]
  const closed = new Segment('orders')
  await closed.close()
  assert.deepEqual([await used.next(), await other.next()], [1n, 1_001n])
  const asked = server.seen.length
  for (const turn of [0n, 1n]) {
    begin()
    assert.deepEqual([await used.next(), used.nextSync()], [1n, 2n])
    assert.ok((await other.next()) > 2n, 'the same store')
    assert.ok((await unused.next()) > 2n && far.nextSync() > 2n)
    assert.equal(used.stats().asks, 1)
    far.check()
    assert.ok(decode(await events.next()).worker === 0 && !existsSync(state))
    for (const ids of own) assert.equal(await ids.next(), 1n + turn, 'a store of its own')
    await refuses(() => closed.next(), 'CLOSED')
  }
  assert.equal(server.seen.length, asked, 'no real store is asked')
  end()
  await refuses(() => unused.next(), 'REQUEST_INVALID', /no store is named/)
  await timedOut(() => far.next(), 'STORE_UNAVAILABLE')
  assert.deepEqual([await used.next(), await other.next()], [2_001n, 3_001n], 'they lost what they held')
  assert.deepEqual(await Promise.all(own.map((ids) => ids.next())), [3n, 3n, 3n])
  process.env.LEAFID_STORE = 'memory:afterwards'
  assert.equal(await unused.next(), 1n)
})

test('a window is given back, also one that comes after the test has begun', async () => {
  let answer
  const answered = new Promise((resolve) => (answer = resolve))
  let waits = false
  const store = ownStore({ delay: (verb) => (waits && verb === 'acquire' ? answered : undefined) })
  const [held, coming] = [new Snowflake('default', { store }), new Snowflake('default', { store, owner: 'coming' })]
  await held.next()
  waits = true
  const waiting = coming.next()
  await until(() => store.verbs().filter((verb) => verb === 'acquire').length === 2)
  begin()
  assert.equal(decode(await waiting).worker, 0, 'who waited gets an ID of the test')
  answer()
  await until(() => store.verbs().filter((verb) => verb === 'release').length === 2)
  assert.deepEqual(store.verbs().filter((verb) => verb === 'renew'), [])
})

test('one that is closed in a test is open after it', async () => {
  const orders = new Segment('orders')
  const { restore } = begin()
  assert.equal(await orders.next(), 1n)
  await orders.close()
  await refuses(() => orders.next(), 'CLOSED')
  begin()
  assert.equal(await orders.next(), 1n, 'in the next one')
  restore()
  assert.equal(await orders.next(), 2n, 'a test that is over ends no other')
})

test('within another one it is a store of its own, and then the other counts again', async (t) => {
  const server = await httpServer(t, wire(memoryStore()))
  const orders = new Segment('orders', { store: server.url })
  begin()
  assert.equal(await orders.next(), 1n)
  const { restore } = begin()
  assert.equal(await orders.next(), 1n)
  restore()
  assert.ok((await orders.next()) > 1n, 'the store of the outer one, and not its first number again')
  assert.equal(server.seen.length, 0, 'no real store is asked')
})
