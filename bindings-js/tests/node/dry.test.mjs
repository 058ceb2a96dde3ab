// Errors when no ID is at hand: of calls that cannot wait, and of those that waited in vain (`TIMED_OUT`).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { LeafidError, Segment, Snowflake, memoryStore } from 'leafid'
import { afterFailure, httpServer, refusal, refuses, timedOut, until } from '../support/stores.mjs'

// Port 2 refuses connections: only root may listen there, no common service does, and `fetch` allows it.
const NOBODY = 'http://127.0.0.1:2'

test('nothing at hand: the message says how to wait', async () => {
  const mute = () => new Promise(() => {})
  const store = { leaseSegment: mute, acquire: mute, renew: mute, release: mute }
  const orders = new Segment('orders', { store })
  for (const act of [() => orders.nextSync(), () => orders.takeSync(2), () => orders.fillSync(new BigUint64Array(2))]) {
    await refuses(act, 'SEGMENT_DRY', 'tag `orders` has no number at hand: wait for the next segment, with `await ready(n)`')
  }
  await refuses(() => new Snowflake('eu', { store }).nextSync(), 'WINDOW_SPENT', 'namespace `eu` has no window at hand: wait for the next window, with `await ready(n)`')
})

test('no store there: code, address and reason in the message', async () => {
  const orders = new Segment('orders', { store: NOBODY })
  const error = await afterFailure(orders, () => orders.nextSync())
  assert.equal(error.code, 'SEGMENT_DRY')
  assert.equal(
    error.message,
    'tag `orders` has no number at hand: wait for the next segment, with `await ready(n)`; the last lease failed ' +
      '(STORE_UNAVAILABLE): no answer from `http://127.0.0.1:2/v1/segments/orders/lease` (ECONNREFUSED): ' +
      'check that the store runs there and can be reached',
  )
  assert.equal(error.cause.code, 'STORE_UNAVAILABLE')
  const waits = new Segment('orders', { store: NOBODY, timeout: 100 })
  const gone = await timedOut(() => waits.next(), 'STORE_UNAVAILABLE')
  tells(gone, 'STORE_UNAVAILABLE')
  assert.equal('retryAfter' in gone, false)
})

test('`https://` to a store that speaks no TLS says so', async (t) => {
  const server = await httpServer(t, () => ({ body: '{}' }))
  const orders = new Segment('orders', { store: server.url.replace('http:', 'https:') })
  await afterFailure(orders, () => orders.nextSync(), /what listens at `https:.*` does not speak TLS \(ERR_SSL_\w+\): write `http:\/\/` instead of `https:\/\/`$/)
  assert.equal(server.seen.length, 0)
})

test('`http://` to a store that speaks TLS says so', async (t) => {
  // A TLS alert, as a TLS store answers plain text.
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(Buffer.from('15030300020232', 'hex'))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const orders = new Segment('orders', { store: `http://127.0.0.1:${server.address().port}` })
  await afterFailure(orders, () => orders.nextSync(), /what listens at `http:.*` does not speak HTTP \([A-Z_]+\): if it speaks TLS, write `https:\/\/`$/)
})

test('a permanent refusal is the answer until an ask succeeds', async () => {
  const rows = memoryStore()
  // By request id: an ask without an answer for three seconds is sent again.
  const asks = new Map()
  const store = { leaseSegment: (ask) => new Promise((resolve, reject) => asks.set(ask.request, { ask, resolve, reject })) }
  const last = () => [...asks.values()].at(-1)
  const orders = new Segment('misspelt', { store })
  assert.equal((await refusal(() => orders.nextSync())).code, 'SEGMENT_DRY', 'nobody has answered yet')
  for (let turn = 0; turn < 3; turn++) {
    last().reject(new LeafidError('TAG_UNKNOWN', 'no such tag'))
    await until(() => orders.stats().failures >= turn + 1)
    // Every call gets this error: before the next ask, the one that sends it, and those during it.
    await until(async () => {
      assert.equal((await refusal(() => orders.nextSync())).code, 'TAG_UNKNOWN')
      return asks.size === turn + 2
    })
    for (const act of [() => orders.nextSync(), () => orders.takeSync(2), () => orders.fillAvailable(new BigUint64Array(1))]) {
      await refuses(act, 'TAG_UNKNOWN', 'no such tag')
    }
  }
  const { ask, resolve } = last()
  resolve(rows.leaseSegment(ask))
  await until(() => orders.stats().grants >= 1)
  assert.equal(orders.nextSync(), 1n)
})

/** Checks the failure's text, its remaining wait, and its figures. */
function tells(error, code) {
  const { cause } = error
  assert.deepEqual([error.code, cause.code], ['TIMED_OUT', code])
  assert.ok(error.message.includes(`(${code}`), error.message)
  assert.ok(error.message.endsWith(`: ${cause.message}`), error.message)
  assert.equal(error.until, cause.until)
}

test('what has passed since the store said how long is taken off', async () => {
  let now = 50_000
  const store = {
    acquire() {
      // Before the time-out, however late both timers are.
      setTimeout(() => (now += 1_000), 1)
      throw new LeafidError('WORKERS_EXHAUSTED', 'all of them are held', { retryAfter: 8_000, until: 1_800_000_008_000 })
    },
    renew() {},
    release() {},
  }
  const ids = new Snowflake('default', { store, clock: () => now, timeout: 50 })
  const error = await refusal(() => ids.next())
  tells(error, 'WORKERS_EXHAUSTED')
  assert.deepEqual([error.retryAfter, error.until], [7_000, 1_800_000_008_000])
  assert.match(error.message, /free again in 7 s\): all of them are held$/)
})

test('a store that has too much to do', async () => {
  const busy = {
    leaseSegment: () => Promise.reject(new LeafidError('OVERLOADED', 'too many leases: back off', { retryAfter: 4_000 })),
  }
  const error = await refusal(() => new Segment('orders', { store: busy, timeout: 40 }).next())
  tells(error, 'OVERLOADED')
  assert.ok(error.retryAfter > 0 && error.retryAfter <= 4_000, `${error.retryAfter}`)
  assert.ok(!error.message.includes('free again'))
})

test('nothing has failed: the answer is on its way', async () => {
  const began = performance.now()
  const store = { leaseSegment: () => new Promise(() => {}) }
  const orders = new Segment('orders', { store, timeout: 20 })
  const calls = [[() => orders.next(), 'gave no ID'], [() => orders.take(5), 'did not give 5 IDs at once'], [() => orders.ready(5), 'did not have 5 IDs at hand']]
  for (const [act, lacking] of calls) {
    const error = await refuses(act, 'TIMED_OUT', `tag \`orders\` ${lacking} within 20 ms (SEGMENT_DRY): tag \`orders\` has no number at hand: wait for the next segment`)
    tells(error, 'SEGMENT_DRY')
  }
  const took = performance.now() - began
  assert.ok(took >= 3 * 19 && took < 8_000, `${took} ms, and not the ten seconds of others`)
  assert.equal((await refusal(() => new Segment('orders', { store, timeout: 0 }).next())).code, 'TIMED_OUT')
})
