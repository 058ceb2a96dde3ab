// The synchronous calls when nothing is at hand: how to wait, and why there is nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { LeafidError, Segment, Snowflake, memoryStore } from 'leafid'
import { afterFailure, httpServer, refusal, refuses, until } from '../support/stores.mjs'

// Privileged, assigned to a service that nobody runs, and not among the ports that `fetch` refuses to call.
const NOBODY = 'http://127.0.0.1:2'

test('nothing at hand: the message says how to wait', async () => {
  const mute = () => new Promise(() => {})
  const store = { lease_segment: mute, acquire: mute, renew: mute, release: mute }
  const orders = new Segment('orders', { store })
  for (const act of [() => orders.nextSync(), () => orders.takeSync(2), () => orders.fillSync(new BigUint64Array(2))]) {
    await refuses(act, 'SEGMENT_DRY', 'tag `orders` has no number at hand: wait for the next segment, with `await ready(n)`')
  }
  await refuses(() => new Snowflake('eu', { store }).nextSync(), 'WINDOW_SPENT', 'namespace `eu` has no window at hand: wait for the next window, with `await ready(n)`')
})

test('a store that is not there: the message has the code, the address and the reason of the last failure', async () => {
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
})

test('a caller that waits is told the reason too', async () => {
  const orders = new Segment('orders', { store: NOBODY, timeout: 5 })
  await afterFailure(orders, () => orders.nextSync())
  await refuses(() => orders.next(), 'TIMED_OUT', /no answer from `http:\/\/127\.0\.0\.1:2\/.*` \(ECONNREFUSED\)/)
})

test('`https://` to a store that speaks no TLS says so', async (t) => {
  const server = await httpServer(t, () => ({ body: '{}' }))
  const orders = new Segment('orders', { store: server.url.replace('http:', 'https:') })
  await afterFailure(orders, () => orders.nextSync(), /what listens at `https:.*` does not speak TLS \(ERR_SSL_\w+\): write `http:\/\/` instead of `https:\/\/`$/)
  assert.equal(server.seen.length, 0)
})

test('`http://` to a store that speaks TLS says so', async (t) => {
  // What a store says to a greeting in plain text: a TLS alert.
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(Buffer.from('15030300020232', 'hex'))))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const orders = new Segment('orders', { store: `http://127.0.0.1:${server.address().port}` })
  await afterFailure(orders, () => orders.nextSync(), /what listens at `http:.*` does not speak HTTP \([A-Z_]+\): if it speaks TLS, write `https:\/\/`$/)
})

test('what waiting cannot cure stays the answer while it is asked again, until an ask succeeds', async () => {
  const rows = memoryStore()
  // By their requests: one that has no answer for three seconds is sent again.
  const asks = new Map()
  const store = { lease_segment: (ask) => new Promise((resolve, reject) => asks.set(ask.request, { ask, resolve, reject })) }
  const last = () => [...asks.values()].at(-1)
  const orders = new Segment('misspelt', { store })
  assert.equal((await refusal(() => orders.nextSync())).code, 'SEGMENT_DRY', 'nobody has answered yet')
  for (let turn = 0; turn < 3; turn++) {
    last().reject(new LeafidError('TAG_UNKNOWN', 'no such tag'))
    await until(() => orders.stats().failures >= turn + 1)
    // Each call is refused so: before the next ask, the call that sends it, and those while it is under way.
    await until(async () => {
      assert.equal((await refusal(() => orders.nextSync())).code, 'TAG_UNKNOWN')
      return asks.size === turn + 2
    })
    for (const act of [() => orders.nextSync(), () => orders.takeSync(2), () => orders.fillAvailable(new BigUint64Array(1))]) {
      await refuses(act, 'TAG_UNKNOWN', 'no such tag')
    }
  }
  const { ask, resolve } = last()
  resolve(rows.lease_segment(ask))
  await until(() => orders.stats().grants >= 1)
  assert.equal(orders.nextSync(), 1n)
})
