// The real store over loopback.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, decode } from 'leafid'
import { refuses, timedOut, until } from '../support/stores.mjs'
import { storeFor } from '../support/store.mjs'

test('numbers of a tag, over many leases, without a gap for one holder', async (t) => {
  const { url } = await storeFor(t, { tags: { orders: { step: 100, max_step: 100 } } })
  const orders = new Segment('orders', { store: url })
  for (let id = 1n; id <= 5_000n; id++) assert.equal(await orders.next(), id)
  const { grants, failures, step } = orders.stats()
  assert.ok(grants >= 50)
  assert.deepEqual([failures, step], [0, 100])
})

test('a refusal comes at once, with its code and words', async (t) => {
  const { url } = await storeFor(t, { tags: { orders: {} } })
  const cases = [
    [new Segment('misspelt', { store: url }), 'TAG_UNKNOWN', /leafid tag create misspelt/],
    [new Snowflake('nowhere', { store: url }), 'NAMESPACE_UNKNOWN', /leafid namespace create nowhere/],
    [new Snowflake('default', { store: url, layout: 'edge' }), 'LAYOUT_MISMATCH'],
  ]
  for (const [ids, code, words] of cases) await refuses(() => ids.next(), code, words)
})

test('close gives the worker number back for the next one', async (t) => {
  const { url } = await storeFor(t, { namespaces: { one: { layout: 'leaf', workers: { start: 7, end: 8 } } } })
  let last = 0n
  for (let turn = 0; turn < 5; turn++) {
    const ids = new Snowflake('one', { store: url })
    const id = await ids.next()
    assert.ok(id > last)
    assert.equal(decode(id).worker, 7)
    last = id
    const second = new Snowflake('one', { store: url, timeout: 50 })
    const { message, retryAfter, until } = await timedOut(() => second.next(), 'WORKERS_EXHAUSTED')
    assert.match(message, /free again in \d+ s\)/)
    assert.ok(retryAfter > 0 && retryAfter <= 60_000 && Math.abs(until - Date.now()) < 90_000, `${retryAfter}, ${until}`)
    await second.close()
    await ids.close()
  }
})

test('a window is renewed in the background, for longer than its first length', async (t) => {
  const { url } = await storeFor(t)
  const LENGTH_MS = 5_000
  const ids = new Snowflake('default', { store: url, lengthMs: LENGTH_MS })
  await ids.next()
  const began = performance.now()
  await until(() => performance.now() - began > 1.2 * LENGTH_MS && ids.stats().grants >= 3)
  await ids.next()
  const { failures, waits } = ids.stats()
  assert.deepEqual([failures, waits], [0, 1])
  await ids.close()
})
