// The real store over loopback.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, decode } from 'leafid'
import { httpServer, refusal, refuses, timedOut, until } from '../support/stores.mjs'
import { freePort } from '../support/port.mjs'
import { startStore } from '../support/store.mjs'

async function store(t, options) {
  const started = await startStore(options)
  t.after(started.end)
  return started
}

test('numbers of a tag, over many leases, without a gap for one holder', async (t) => {
  const { url, createTag } = await store(t)
  await createTag('orders', { step: 100, max_step: 100 })
  const orders = new Segment('orders', { store: url })
  for (let id = 1n; id <= 5_000n; id++) assert.equal(await orders.next(), id)
  const { grants, failures, step } = orders.stats()
  assert.ok(grants >= 50)
  assert.deepEqual([failures, step], [0, 100])
})

test('several holders of one tag and one namespace never meet', async (t) => {
  const { url, createTag } = await store(t)
  await createTag('orders', { step: 50, max_step: 200 })
  const segments = Array.from({ length: 4 }, () => new Segment('orders', { store: url }))
  const snowflakes = Array.from({ length: 4 }, () => new Snowflake('default', { store: url, lengthMs: 1_000 }))
  const numbers = await Promise.all(segments.map((ids) => draw(ids, 3_000)))
  const stamps = await Promise.all(snowflakes.map((ids) => draw(ids, 3_000)))
  for (const all of [numbers, stamps]) {
    const flat = all.flat()
    assert.equal(flat.length, 12_000)
    assert.equal(new Set(flat).size, 12_000)
    for (const ids of all) assert.ok(ids.every((id, at) => at === 0 || id > ids[at - 1]))
  }
  // Of the first ones: a holder whose second was over on a busy machine has another number later.
  assert.equal(new Set(stamps.map(([first]) => decode(first).worker)).size, 4)
  await Promise.all(snowflakes.map((ids) => ids.close()))
})

test('the control: holders of a store that grants a range twice do meet', async () => {
  const granted = []
  // Each range is granted to two holders, under the echo that each of them wants.
  const twice = () => {
    let turn = 0
    return {
      lease_segment({ tag, request }) {
        turn += 1
        granted.push(turn)
        const [start, end] = [BigInt((turn - 1) * 50 + 1), BigInt(turn * 50 + 1)]
        return { request, store: '5a'.repeat(16), tag, start, end, step: 50, max_step: 50, now_ms: 1 }
      },
    }
  }
  const drawn = await Promise.all([twice(), twice()].map((store) => draw(new Segment('orders', { store }), 500)))
  assert.equal(drawn.flat().length, 1_000)
  assert.equal(new Set(drawn.flat()).size, 500)
  assert.ok(granted.length >= 20)
})

async function draw(ids, count) {
  const drawn = []
  while (drawn.length < count) {
    drawn.push(await ids.next())
    if (drawn.length % 7 === 0) drawn.push(...(await ids.take(Math.min(13, count - drawn.length) || 1)))
  }
  return drawn.slice(0, count)
}

test('an unknown tag: the message names the command that creates it', async (t) => {
  const { url } = await store(t)
  const orders = new Segment('orders', { store: url })
  await refuses(() => orders.next(), 'TAG_UNKNOWN', /leafid tag create orders/)
  const ids = new Snowflake('nowhere', { store: url })
  assert.match((await refusal(() => ids.next())).message, /leafid namespace create nowhere/)
})

test('a step above the cap and another layout than the namespace has', async (t) => {
  const { url, createTag } = await store(t)
  await createTag('orders')
  assert.equal((await refusal(() => new Segment('orders', { store: url, step: 2 ** 32 - 1 }).next())).code, 'STEP_INVALID')
  assert.equal((await refusal(() => new Snowflake('default', { store: url, layout: 'edge' }).next())).code, 'LAYOUT_MISMATCH')
})

test('close gives the worker number back for the next one', async (t) => {
  const { url, createNamespace } = await store(t)
  await createNamespace('one', { layout: 'leaf', workers: { start: 7, end: 8 } })
  let last = 0n
  for (let turn = 0; turn < 5; turn++) {
    const ids = new Snowflake('one', { store: url })
    const id = await ids.next()
    assert.ok(id > last)
    assert.equal(decode(id).worker, 7)
    last = id
    const second = new Snowflake('one', { store: url, timeout: 50 })
    await timedOut(() => second.next(), 'WORKERS_EXHAUSTED')
    await second.close()
    await ids.close()
  }
})

test('two stores behind one address stop the client', async (t) => {
  const stores = [await store(t), await store(t)]
  for (const { createTag } of stores) await createTag('orders', { step: 10, max_step: 10 })
  let asked = 0
  const between = await httpServer(t, async ({ method, url, body }) => {
    const { url: to } = stores[asked++ % 2]
    const answer = await fetch(to + url, { method, headers: { 'content-type': 'application/json' }, body })
    return { status: answer.status, body: await answer.text() }
  })
  const orders = new Segment('orders', { store: between.url })
  assert.equal(await orders.next(), 1n)
  const seen = [1n]
  const error = await refusal(async () => {
    for (;;) seen.push(await orders.next())
  })
  assert.equal(error.code, 'STORE_CHANGED')
  assert.ok(seen.length <= 10)
  for (const act of [() => orders.nextSync(), () => orders.next(), () => orders.take(1)]) {
    assert.equal((await refusal(act)).code, 'STORE_CHANGED')
  }
  assert.equal(orders.stats().in_hand, 0)
})

test('a store is killed and comes back: no number twice', async (t) => {
  const first = await store(t, { listen: `127.0.0.1:${await freePort()}` })
  await first.createTag('orders', { step: 100, max_step: 100 })
  const orders = new Segment('orders', { store: first.url, timeout: 120_000 })
  // Its first window lasts for a minute: it has IDs while the store is away.
  const ids = new Snowflake('default', { store: first.url, timeout: 120_000, lengthMs: 60_000 })
  const seen = [await orders.next()]
  const stamps = [await ids.next()]
  let running = first
  for (let turn = 0; turn < 3; turn++) {
    await running.stop('SIGKILL')
    const { in_hand } = orders.stats()
    for (let n = 0; n < in_hand; n++) seen.push(await orders.next())
    stamps.push(...(await ids.take(100)))
    const waiting = orders.next()
    running = await store(t, { folder: first.folder, listen: new URL(first.url).host })
    const back = performance.now()
    seen.push(await waiting)
    assert.ok(performance.now() - back < 30_000)
  }
  assert.equal(new Set(seen).size, seen.length)
  assert.equal(new Set(stamps).size, stamps.length)
  assert.ok(seen.every((id, at) => at === 0 || id > seen[at - 1]))
})

test('LEAFID_STORE is the store when none is named', async (t) => {
  const { url, createTag } = await store(t)
  await createTag('orders')
  process.env.LEAFID_STORE = url
  t.after(() => delete process.env.LEAFID_STORE)
  assert.equal(await new Segment('orders').next(), 1n)
})

test('a window is renewed in the background, for longer than its first length', async (t) => {
  const { url } = await store(t)
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
