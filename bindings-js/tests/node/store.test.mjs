// The real store over loopback.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake } from 'leafid'
import { freePort } from '../support/port.mjs'
import { httpServer, refusal, refuses, timedOut } from '../support/stores.mjs'
import { storeFor } from '../support/store.mjs'

test('close gives the worker number back for the next one', async (t) => {
  const { url } = await storeFor(t, { namespaces: { one: { layout: 'leaf', workers: { start: 7, end: 8 } } } })
  for (let turn = 0; turn < 2; turn++) {
    const ids = new Snowflake('one', { store: url })
    await ids.next()
    const second = new Snowflake('one', { store: url, timeout: 50 })
    const { message, retryAfter, until } = await timedOut(() => second.next(), 'WORKERS_EXHAUSTED')
    assert.match(message, /free again in \d+ s\)/)
    assert.ok(retryAfter > 0 && retryAfter <= 60_000 && Math.abs(until - Date.now()) < 90_000, `${retryAfter}, ${until}`)
    await second.close()
    await ids.close()
  }
})

test('two stores behind one address stop the client', async (t) => {
  const tags = { orders: { step: 10, max_step: 10 } }
  const stores = [await storeFor(t, { tags }), await storeFor(t, { tags })]
  let asked = 0
  const between = await httpServer(t, async ({ method, url, body }) => {
    const answer = await fetch(stores[asked++ % 2].url + url, { method, headers: { 'content-type': 'application/json' }, body })
    return { status: answer.status, body: await answer.text() }
  })
  const orders = new Segment('orders', { store: between.url })
  const seen = []
  const error = await refusal(async () => {
    for (;;) seen.push(await orders.next())
  })
  assert.equal(error.code, 'STORE_CHANGED')
  assert.ok(seen[0] === 1n && seen.length <= 10, `${seen}`)
  for (const act of [() => orders.nextSync(), () => orders.next(), () => orders.take(1)]) await refuses(act, 'STORE_CHANGED')
  assert.equal(orders.stats().inHand, 0)
})

test('a store is killed and comes back: no number twice', async (t) => {
  const listen = `127.0.0.1:${await freePort()}`
  let running = await storeFor(t, { listen, tags: { orders: { step: 100, max_step: 100 } } })
  const { url, folder } = running
  const orders = new Segment('orders', { store: url, timeout: 120_000 })
  // The first window lasts for a minute, so there are IDs while the store is away.
  const ids = new Snowflake('default', { store: url, timeout: 120_000, lengthMs: 60_000 })
  const [seen, stamps] = [[await orders.next()], [await ids.next()]]
  for (let turn = 0; turn < 3; turn++) {
    await running.stop('SIGKILL')
    for (let left = orders.stats().inHand; left > 0; left--) seen.push(await orders.next())
    stamps.push(...(await ids.take(100)))
    const waiting = orders.next()
    running = await storeFor(t, { folder, listen })
    const back = performance.now()
    seen.push(await waiting)
    assert.ok(performance.now() - back < 30_000)
  }
  for (const all of [seen, stamps]) assert.ok(all.every((id, at) => at === 0 || id > all[at - 1]))
})
