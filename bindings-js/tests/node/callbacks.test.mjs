// Misbehaving callbacks (clock, store, headers, fetch, hook): an error with a code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, httpStore, memoryStore } from 'leafid'
import { refusal, refuses } from '../support/stores.mjs'

/** What a wrong function does. */
const ODD = {
  'returns nothing': () => undefined,
  'returns NaN': () => Number.NaN,
  'returns a text': () => '5',
  'returns a bigint': () => 5n,
  'returns a symbol': () => Symbol('now'),
  'returns an object': () => ({ valueOf: () => 5 }),
  'returns a promise': async () => 5,
  'returns more than 2^53': () => 2 ** 53 + 2,
  'throws an error': () => {
    throw new Error('out of order')
  },
  'throws nothing': () => {
    throw undefined
  },
  'throws what has no text': () => {
    throw Object.create(null)
  },
}

const DRAWS = [
  (ids) => ids.nextSync(),
  (ids) => ids.next(),
  (ids) => ids.takeSync(3),
  (ids) => ids.take(3),
  (ids) => ids.fillSync(new BigUint64Array(3)),
  (ids) => ids.fillAvailable(new BigUint64Array(3)),
  (ids) => ids.ready(1),
]

const KINDS = { segment: (options) => new Segment('orders', options), snowflake: (options) => new Snowflake('default', options) }

for (const [kind, make] of Object.entries(KINDS)) {
  for (const [name, odd] of Object.entries(ODD)) {
    test(`${kind}: a clock that ${name}: REQUEST_INVALID, until it is well`, async (t) => {
      let clock = odd
      const ids = make({ store: memoryStore(), clock: () => clock(), timeout: 0 })
      t.after(() => ids.close())
      const words = name.startsWith('throws') ? /^`clock` failed with `.*`: it must return a number of ms$/ : /^`clock` must return a number of ms from -2\^53 to 2\^53, got `.*`$/
      for (const draw of DRAWS) await refuses(() => draw(ids), 'REQUEST_INVALID', words)
      // The same for a memory store's clock.
      await refuses(() => make({ store: memoryStore({ clock: odd }), clock: () => 5, timeout: 0 }).nextSync(), 'REQUEST_INVALID')
      let now = 1_000
      const well = () => (now += 10)
      clock = well
      const seen = [await ids.next(), ids.nextSync(), ...ids.takeSync(1_000)]
      clock = odd
      await refusal(() => ids.takeSync(1_000))
      ids.stats()
      clock = well
      seen.push(...(await ids.take(10)))
      assert.equal(new Set(seen).size, seen.length)
      clock = odd
      ids.forget()
      await ids.close()
    })
  }

  test(`${kind}: a clock that breaks as an answer comes, as a timer fires, as it is closed`, async (t) => {
    const { setTimeout: later } = globalThis
    const timers = []
    globalThis.setTimeout = (act, ms, ...given) => {
      timers.push(act)
      return later(act, ms, ...given)
    }
    t.after(() => (globalThis.setTimeout = later))
    for (const odd of Object.values(ODD)) {
      let clock = () => performance.now()
      let answer
      const rows = memoryStore()
      const verb = (name) => [name, (ask) => new Promise((resolve) => (answer = () => resolve(rows[name](ask))))]
      const store = { ...Object.fromEntries(['leaseSegment', 'acquire', 'renew'].map(verb)), release: (ask) => rows.release(ask) }
      const ids = make({ store, clock: () => clock() })
      const first = ids.next()
      while (answer === undefined) await new Promise(setImmediate)
      clock = odd
      answer()
      await refuses(() => first, 'REQUEST_INVALID')
      for (const timer of timers.splice(0)) timer()
      await new Promise(setImmediate)
      clock = () => performance.now()
      answer = undefined
      const second = ids.next()
      while (answer === undefined && ids.stats().inHand === 0) await new Promise(setImmediate)
      answer?.()
      assert.equal(typeof (await second), 'bigint')
      clock = odd
      for (const timer of timers.splice(0)) timer()
      const closed = ids.close()
      answer?.()
      await closed
    }
  })
}

test('a clock may return any number of ms that is exact', async () => {
  for (const make of Object.values(KINDS)) {
    for (const now of [0, -0, -5, 1.5, -(2 ** 53), 2 ** 53, Number.MIN_VALUE]) {
      const ids = make({ store: memoryStore(), clock: () => now })
      assert.equal(new Set([ids.nextSync(), await ids.next(), ...ids.takeSync(100)]).size, 102)
      await ids.close()
    }
  }
})

test('a function that gives no store', async () => {
  for (const [name, odd] of Object.entries(ODD)) {
    await refuses(() => new Segment('orders', { store: odd, timeout: 0 }).nextSync(), name.startsWith('throws') ? 'SEGMENT_DRY' : 'REQUEST_INVALID')
  }
})

/** The first error that the hook gets from an HTTP store. */
async function told(options) {
  const errors = []
  const ids = new Segment('orders', { store: httpStore('http://127.0.0.1:9', options), timeout: 0, onError: (error) => errors.push(error) })
  await refusal(() => ids.next())
  while (errors.length === 0) await new Promise(setImmediate)
  await ids.close()
  return errors[0]
}

test('headers that are none, and a fetch that gives no response', async () => {
  const more = { 'returns what is like one': () => ({ status: 200, headers: {}, text: () => '{}' }), 'returns a status in words': () => ({ ...new Response('{}'), status: '200' }) }
  for (const [name, odd] of Object.entries({ ...ODD, ...more })) {
    const isThrown = name.startsWith('throws')
    if (!name.includes('object') && name in ODD) {
      const { code } = await told({ headers: odd, fetch: () => assert.fail('nothing may be sent') })
      assert.equal(code, isThrown ? 'STORE_UNAVAILABLE' : 'REQUEST_INVALID', name)
    }
    const { code, message } = await told({ fetch: odd })
    assert.equal(code, 'STORE_UNAVAILABLE', name)
    if (!isThrown) assert.match(message, /^`fetch` returned `.*`, which is no Response: return what the global `fetch` returns$/)
    if (name === 'throws an error') assert.match(message, /^no answer from `http:.*` \(out of order\): /)
  }
})

test('a hook that does it: nobody is disturbed', async () => {
  const hooks = { ...ODD, 'returns what throws when it is awaited': () => ({ get then() { throw new Error('then') } }), rejects: async () => { throw new Error('hook') } }
  for (const [name, onError] of Object.entries(hooks)) {
    let isWell = false
    const rows = memoryStore()
    const leaseSegment = (ask) => {
      if (isWell) return rows.leaseSegment(ask)
      throw new Error('away')
    }
    const ids = new Segment('orders', { store: { leaseSegment }, onError, timeout: 10_000 })
    await refuses(() => ids.nextSync(), 'SEGMENT_DRY')
    isWell = true
    assert.equal(await ids.next(), 1n, name)
  }
})
