// Lives that are shorter than a millisecond, and clocks that are set back: nothing twice, and nothing thrown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, memoryStore } from 'leafid'
import { ownStore, tagged } from '../support/stores.mjs'

const NOW = 1_800_000_000_000
const LIVES = 300
const EACH = 20

test('restarts within one millisecond, some of them crashes', async () => {
  const rows = tagged(7, 100, { clock: () => NOW })
  const store = ownStore({ rows })
  const drawn = { numbers: [], stamps: [] }
  for (let life = 0; life < LIVES; life++) {
    // Another process has a store object of its own.
    const options = { store: { ...store }, clock: () => 5_000 }
    const [orders, ids] = [new Segment('orders', options), new Snowflake('default', options)]
    for (let n = 0; n < EACH; n++) {
      drawn.numbers.push(await orders.next())
      drawn.stamps.push(await ids.next())
    }
    // Whoever crashes gives nothing back: its number is taken until its window ends.
    if (life % 3 !== 0) await Promise.all([orders.close(), ids.close()])
    else for (const one of [orders, ids]) one.forget()
  }
  for (const ids of Object.values(drawn)) assert.deepEqual([new Set(ids).size, ids.length], [LIVES * EACH, LIVES * EACH])
  // The control: one number for every life, and a sequence that begins anew.
  const careless = drawn.stamps.map((_, at) => Layout.leaf.compose(NOW, 1, at % EACH))
  assert.equal(new Set(careless).size, EACH)
})

test('the clock that a generator reads is set back by 250 ms and by an hour', async () => {
  const clock = { host: 7_200_000, store: NOW }
  const store = ownStore({ rows: memoryStore({ clock: () => clock.store }) })
  const ids = new Snowflake('default', { store, clock: () => clock.host })
  let last = await ids.next()
  const draw = async () => {
    for (let n = 0; n < 500; n++) {
      clock.host += 1
      clock.store += 1
      const id = n % 2 === 0 ? await ids.next() : ids.nextSync()
      assert.ok(id > last, `${id} after ${last}`)
      last = id
    }
  }
  for (const step of [0, -250, -3_600_000, -250]) {
    clock.host += step
    await draw()
  }
  assert.equal(ids.stats().failures, 0)
})

test('the machine’s clock is set back by 250 ms and by an hour', async (t) => {
  const real = Date.now
  t.after(() => (Date.now = real))
  const ids = new Snowflake('default', { store: ownStore() })
  const orders = new Segment('orders', { store: ownStore() })
  const drawn = [[], []]
  for (const shift of [0, -250, 0, -3_600_000]) {
    Date.now = () => real() + shift
    for (let n = 0; n < 2_000; n++) {
      drawn[0].push(await ids.next())
      drawn[1].push(await orders.next())
    }
  }
  for (const all of drawn) assert.ok(all.every((id, at) => at === 0 || id > all[at - 1]))
  await ids.close()
})
