// Clocks that stand still, go back or leap, and the pool's expiry.
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, decode, memoryStore } from 'leafid'
import { ownStore, refusal, tagged, until } from '../support/stores.mjs'

const START = 1_800_000_000_000
const HOUR = 3_600_000
const YEARS = 31 * 365 * 24 * HOUR

/** A host's clock that the test moves, and a store with a clock of its own. */
function world({ layout = 'leaf', ...options } = {}) {
  const clock = { host: 5_000, store: START }
  const rows = memoryStore({ clock: () => clock.store })
  const namespace = `n-${layout}`
  rows.createNamespace(namespace, { layout })
  const store = ownStore({ rows })
  let looked = 0
  const look = () => {
    looked += 1
    return clock.host
  }
  const ids = new Snowflake(namespace, { store, clock: look, timeout: 300, ...options })
  const pass = (ms) => {
    clock.host += ms
    clock.store += ms
  }
  return { clock, pass, store, ids, looks: () => looked, layout: Layout[layout] }
}

test('a frozen clock: IDs up to maxAheadMs, then SEQUENCE_SPENT', async () => {
  const { ids, pass } = world({ layout: 'edge' })
  const seen = [await ids.next()]
  const error = await refusal(() => {
    for (;;) seen.push(ids.nextSync())
  })
  assert.equal(error.code, 'SEQUENCE_SPENT')
  const tells = ({ until, retryAfter }) => assert.ok(until > 5_000 && retryAfter > 0 && retryAfter <= 2, `${until}, ${retryAfter}`)
  tells(error)
  // 64 IDs per ms, for this ms and the 1,000 ahead, less the start of the first.
  assert.ok(seen.length > 1_000 * 64 && seen.length <= 1_001 * 64, `${seen.length}`)
  assert.equal(new Set(seen).size, seen.length)
  const cpu = process.cpuUsage()
  const late = await refusal(() => ids.next())
  const { user, system } = process.cpuUsage(cpu)
  assert.equal(late.code, 'TIMED_OUT')
  assert.equal(late.cause.code, 'SEQUENCE_SPENT')
  tells(late)
  assert.ok(user + system < 200_000, `${user + system} µs of work in 300 ms of waiting`)
  pass(5)
  assert.ok((await ids.next()) > seen.at(-1))
})

test('the wall clock goes back and forth: IDs stay timely, and ascend', async (t) => {
  const rows = memoryStore({ clock: () => performance.timeOrigin + performance.now() })
  const real = Date.now
  t.after(() => (Date.now = real))
  const ids = new Snowflake('default', { store: ownStore({ rows }) })
  const orders = new Segment('orders', { store: ownStore() })
  let last = await ids.next()
  let number = 0n
  for (const shift of [HOUR, -HOUR, 0, 24 * HOUR, -24 * HOUR, 0, -250]) {
    Date.now = () => real() + shift
    for (let n = 0; n < 200; n++) {
      assert.equal(await orders.next(), (number += 1n))
      const from = real()
      const id = await ids.next()
      assert.ok(id > last)
      last = id
      const time = decode(id).time.getTime()
      assert.ok(time > from - 1_500 && time < real() + 1_500, `${from}, ${time}`)
    }
  }
  assert.equal(ids.stats().failures, 0)
})

test('a suspend (the wall clock went on, the other did not) asks at once', async (t) => {
  const store = ownStore()
  const ids = new Snowflake('default', { store })
  await ids.next()
  const real = Date.now
  t.after(() => (Date.now = real))
  // The first renewal comes after two seconds, the next would come after a minute.
  await until(() => store.verbs().includes('renew'))
  await ids.next()
  const renewals = store.asked.length
  Date.now = () => real() + 3_600_000
  await until(async () => {
    await ids.next()
    return store.asked.length > renewals
  })
  await ids.close()
})

test('a user’s clock that leaps: IDs keep the store’s time, ascend', async () => {
  let isAway = false
  // A store that answers once, an hour late, and then is silent: the monotonic clock counts.
  const silent = ownStore({
    delay: () => (off += HOUR),
    change(_, answer) {
      if (isAway) throw new Error('away')
      isAway = true
      return answer
    },
  })
  let off
  for (const store of [memoryStore(), ownStore(), silent]) {
    off = 0
    const ids = new Snowflake('default', { store, clock: () => performance.now() + off, timeout: 3_000 })
    let last = await ids.next()
    // Leaps within and beyond the longest window, a first step of NTP, a night's sleep, and back.
    for (const leap of [599_000, YEARS, 599_000, -YEARS, -HOUR, 8 * HOUR, 20_000, -250, -599_000, 3 * HOUR, 599_000]) {
      off += leap
      for (let n = 0; n < 200; n++) {
        const from = Date.now()
        const id = await ids.next()
        const time = decode(id).time.getTime()
        assert.ok(id > last && time > from - 1_500 && time < Date.now() + 1_500, `${time - from} ms after a leap of ${leap}`)
        last = id
      }
    }
    assert.equal(ids.stats().failures === 0, store !== silent)
  }
})

test('hours in which nothing was drawn, or the machine slept, are no leap', async (t) => {
  const { ids, pass, clock, layout } = world({ lengthMs: 600_000 })
  let up = 1_000
  t.mock.method(os, 'uptime', () => up)
  syncBuiltinESMExports()
  t.after(() => (t.mock.restoreAll(), syncBuiltinESMExports()))
  for (const ms of [0, 5_000, 2_000, HOUR, 8 * HOUR, 5_000]) {
    pass(ms)
    up += ms / 1_000
    assert.equal(Number(layout.decompose(await ids.next()).timeMs), clock.store)
  }
})

test('after a wait no ID is older than its tick', async () => {
  const { ids, pass, clock, layout } = world()
  const isTimely = (id) => assert.equal(Number(layout.decompose(id).timeMs), clock.store)
  for (let n = 0; n < 2_000; n++) {
    if (n % 37 === 0) pass(1)
    isTimely(await ids.next())
  }
  assert.ok(ids.stats().dropped < 2_000, `${ids.stats().dropped}`)
  pass(10)
  const before = ids.stats().dropped
  // A burst enlarges the pool; a tick later its rest is dropped.
  for (let n = 0; n < 100; n++) ids.nextSync()
  for (let turn = 0; turn < 200; turn++) {
    pass(1)
    await undefined
    isTimely(ids.nextSync())
  }
  const { dropped, ids: drawn } = ids.stats()
  assert.equal(drawn, 2_300)
  assert.ok(dropped - before <= 64, `${dropped - before}`)
})

test('one look at the clock serves at most 16 IDs of a burst', async () => {
  const { clock, ids, pass, layout, looks } = world()
  await ids.next()
  pass(10)
  const before = looks()
  for (let n = 0; n < 1_600; n++) ids.nextSync()
  const seen = looks() - before
  assert.ok(seen >= 100 && seen <= 250, `${seen} looks for 1,600 IDs`)
  // The clock moves on for seconds within one turn.
  let late = 0
  for (let n = 0; n < 500; n++) {
    pass(10)
    const { timeMs } = layout.decompose(ids.nextSync())
    if (Number(timeMs) < clock.store) late += 1
  }
  assert.ok(late < 16, `${late} of 500 IDs have the time of the burst`)
})

test('a pool costs no capacity: at the rate of the format nothing is refused', async () => {
  // 256 IDs in a tick of 10 ms: 25 per ms use all but six.
  const { ids, pass, layout } = world({ layout: 'long', maxAheadMs: 20, spread: 0 })
  await ids.next()
  let last = 0n
  for (let ms = 0; ms < 2_000; ms++) {
    pass(1)
    for (let n = 0; n < 25; n++) {
      const id = ids.nextSync()
      assert.ok(id > last)
      last = id
    }
    const behind = START + ms + 1 - Number(layout.decompose(last).timeMs)
    assert.ok(behind < 20 && behind > -40, `${behind} ms behind`)
  }
})
