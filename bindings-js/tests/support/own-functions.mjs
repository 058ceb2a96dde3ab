// Misbehaving callbacks (clock, store, headers, fetch, hook): an error with a code, with either engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'

/** What a wrong function does. */
const ODD = {
  'returns nothing': () => undefined,
  'returns null': () => null,
  'returns NaN': () => Number.NaN,
  'returns infinity': () => Number.POSITIVE_INFINITY,
  'returns a text': () => '5',
  'returns a bigint': () => 5n,
  'returns a symbol': () => Symbol('now'),
  'returns an object': () => ({ valueOf: () => 5 }),
  'returns a list': () => [5],
  'returns a promise': async () => 5,
  'returns more than 2^53': () => 2 ** 53 + 2,
  'returns less than -2^53': () => -(2 ** 60),
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
const except = (...names) => Object.entries(ODD).filter(([name]) => !names.some((part) => name.includes(part)))

const DRAWS = {
  nextSync: (ids) => ids.nextSync(),
  next: (ids) => ids.next(),
  nextStringSync: (ids) => ids.nextStringSync(),
  nextNumber: (ids) => ids.nextNumber(),
  takeSync: (ids) => ids.takeSync(3),
  take: (ids) => ids.take(3),
  fillSync: (ids) => ids.fillSync(new BigUint64Array(3)),
  fill: (ids) => ids.fill(new BigUint64Array(3)),
  fillAvailable: (ids) => ids.fillAvailable(new BigUint64Array(3)),
  ready: (ids) => ids.ready(1),
}

/** The tests of an entry of the package. */
export function ownFunctions(entry, { LeafidError, Segment, Snowflake, httpStore, memoryStore }) {
  const kinds = { segment: (options) => new Segment('orders', options), snowflake: (options) => new Snowflake('default', options) }

  async function refused(act) {
    try {
      await act()
    } catch (error) {
      assert.ok(error instanceof LeafidError, `${error?.stack ?? String(error)}`)
      return error
    }
    throw new Error('it was not refused')
  }

  for (const [kind, make] of Object.entries(kinds)) {
    for (const [name, odd] of Object.entries(ODD)) {
      test(`${entry}, ${kind}: a clock that ${name}: REQUEST_INVALID`, async (t) => {
        let clock = odd
        const ids = make({ store: memoryStore(), clock: () => clock(), timeout: 0 })
        t.after(() => ids.close())
        for (const [draw, act] of Object.entries(DRAWS)) {
          const { code, message } = await refused(() => act(ids))
          assert.equal(code, 'REQUEST_INVALID', draw)
          assert.match(message, name.startsWith('throws') ? /^`clock` failed with `.*`: it must return a number of ms$/ : /^`clock` must return a number of ms from -2\^53 to 2\^53, got `.*`$/)
        }
        // The same for a memory store's clock, which takes any number.
        if (!name.includes('2^53')) {
          const other = make({ store: memoryStore({ clock: odd }), clock: () => 5, timeout: 0 })
          assert.equal((await refused(() => other.nextSync())).code, 'REQUEST_INVALID')
          await other.close()
        }
        let now = 1_000
        clock = () => (now += 10)
        const seen = [await ids.next(), ids.nextSync(), ...ids.takeSync(2_000 / 2)]
        clock = odd
        await refused(() => ids.takeSync(1_000))
        ids.stats()
        clock = () => (now += 10)
        seen.push(...(await ids.take(10)))
        assert.equal(new Set(seen).size, seen.length)
        clock = odd
        ids.forget()
        await ids.close()
      })
    }

    test(`${entry}: a clock that says what a number of ms may be, of a ${kind}`, async (t) => {
      for (const now of [0, -0, -5, 1.5, -(2 ** 53), 2 ** 53, Number.MIN_VALUE]) {
        const ids = make({ store: memoryStore(), clock: () => now })
        t.after(() => ids.close())
        const seen = [ids.nextSync(), await ids.next(), ...ids.takeSync(100)]
        assert.equal(new Set(seen).size, 102)
      }
    })

    test(`${entry}, ${kind}: a clock that breaks between draws`, async (t) => {
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
        const store = { ...Object.fromEntries(['lease_segment', 'acquire', 'renew'].map(verb)), release: (ask) => rows.release(ask) }
        const ids = make({ store, clock: () => clock() })
        const first = ids.next()
        while (answer === undefined) await new Promise(setImmediate)
        // As the answer comes, and as each of its timers fires later.
        clock = odd
        answer()
        assert.equal((await refused(() => first)).code, 'REQUEST_INVALID')
        for (const timer of timers.splice(0)) timer()
        await new Promise(setImmediate)
        clock = () => performance.now()
        answer = undefined
        const second = ids.next()
        while (answer === undefined && ids.stats().inHand === 0n) await new Promise(setImmediate)
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

  test(`${entry}: a function that gives no store`, async () => {
    for (const [name, odd] of Object.entries(ODD)) {
      const { code } = await refused(() => new Segment('orders', { store: odd, timeout: 0 }).nextSync())
      assert.equal(code, name.startsWith('throws') ? 'SEGMENT_DRY' : 'REQUEST_INVALID', name)
    }
  })

  /** The first error that the hook gets from an HTTP store. */
  async function told(options) {
    const errors = []
    const ids = new Segment('orders', { store: httpStore('http://127.0.0.1:9', options), timeout: 0, onError: (error) => errors.push(error) })
    await refused(() => ids.next())
    while (errors.length === 0) await new Promise(setImmediate)
    await ids.close()
    return errors[0]
  }

  test(`${entry}: headers that are none`, async () => {
    for (const [name, odd] of except('object')) {
      const { code, message } = await told({ headers: odd, fetch: () => assert.fail('nothing may be sent') })
      assert.equal(code, name.startsWith('throws') ? 'STORE_UNAVAILABLE' : 'REQUEST_INVALID', `${name}: ${message}`)
    }
  })

  test(`${entry}: a fetch that gives no response`, async () => {
    const more = { 'returns what is like one': () => ({ status: 200, headers: {}, text: () => '{}' }), 'returns a status in words': () => ({ ...new Response('{}'), status: '200' }) }
    for (const [name, fetch] of Object.entries({ ...ODD, ...more })) {
      const { code, message } = await told({ fetch })
      assert.equal(code, 'STORE_UNAVAILABLE', name)
      if (!name.startsWith('throws')) assert.match(message, /^`fetch` returned `.*`, which is no Response: return what the global `fetch` returns$/)
      if (name === 'throws an error') assert.match(message, /^no answer from `http:.*` \(out of order\): /)
    }
  })

  test(`${entry}: a hook that does it: nobody is disturbed`, async () => {
    const hooks = { ...ODD, 'returns what throws when it is awaited': () => ({ get then() { throw new Error('then') } }), 'rejects': async () => { throw new Error('hook') } }
    for (const [name, onError] of Object.entries(hooks)) {
      let isWell = false
      const rows = memoryStore()
      const lease_segment = (ask) => {
        if (isWell) return rows.lease_segment(ask)
        throw new Error('away')
      }
      const ids = new Segment('orders', { store: { lease_segment }, onError, timeout: 10_000 })
      assert.equal((await refused(() => ids.nextSync())).code, 'SEGMENT_DRY', name)
      isWell = true
      assert.equal(await ids.next(), 1n, name)
    }
  })
}
