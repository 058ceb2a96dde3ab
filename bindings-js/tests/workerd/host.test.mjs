// A Worker in workerd, with the real store behind it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { startWorker } from '../support/miniflare.mjs'
import { storeFor } from '../support/store.mjs'
import { httpServer, tagged, until, wire } from '../support/stores.mjs'

const text = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const source = text('./worker.mjs')
const files = { 'instances.mjs': text('./instances.mjs') }
let worker

const ask = async (path, from = worker) => (await from.fetch(path)).json()

before(async () => {
  const store = await storeFor(undefined, { tags: { orders: { step: 20, max_step: 100 } } })
  worker = await startWorker(source, { files, bindings: { LEAFID_STORE: store.url } })
})

test('at module scope nothing is asked: it says what to do', async () => {
  const early = await ask('/early')
  assert.equal(early.code, 'SEGMENT_DRY')
  assert.match(early.message, /inside a request/)
})

test('a request draws numbers and stamps, from LEAFID_STORE', async () => {
  const one = await ask('/next')
  const two = await ask('/next')
  assert.deepEqual([one.number, two.number], ['1', '2'])
  assert.ok(BigInt(two.stamp) > BigInt(one.stamp))
  const { time } = await ask(`/decode?id=${two.stamp}`)
  assert.ok(Math.abs(new Date(time) - Date.now()) < 60_000)
  // Isolates ask for short windows.
  const { ids } = await ask('/stats')
  assert.ok(ids.step > 5_000 && ids.step <= 10_000, `${ids.step}`)
})

test('the sync form has IDs as long as some are at hand', async () => {
  // The last ID at hand may have been drawn while more are under way.
  let number
  await until(async () => (await ask('/number')) && ({ number } = await ask('/sync')).number !== undefined)
  assert.ok(Number(number) > 2)
  const { numbers } = await ask('/take?n=50')
  assert.equal(numbers.length, 50)
})

test('an engine that trapped is rebuilt, and knows its store', async () => {
  const cases = [
    ['segment', 'another', 'STORE_CHANGED'],
    ['segment', 'careless', 'STORE_CHANGED'],
    ['segment', 'restored', 'STORE_WENT_BACK'],
    ['snowflake', 'another', 'STORE_CHANGED'],
    ['snowflake', 'careless', 'STORE_CHANGED'],
  ]
  for (const [kind, what, code] of cases) {
    const { trapped, after, again } = await ask(`/trapped?kind=${kind}&store=${what}`)
    assert.ok(trapped.includes('RuntimeError'))
    assert.deepEqual([after.code, again.code], [code, code], `${kind}, ${what}: ${JSON.stringify(after)}`)
  }
  for (const kind of ['segment', 'snowflake']) {
    const { trapped, before, after, grants } = await ask(`/trapped?kind=${kind}&store=same`)
    assert.ok(trapped.includes('RuntimeError'))
    assert.ok(BigInt(after.value) > BigInt(before), `${before}, ${JSON.stringify(after)}`)
    assert.equal(grants, 1, 'it leases anew')
    if (kind === 'segment') continue
    const [old, fresh] = await Promise.all([before, after.value].map((id) => ask(`/decode?id=${id}`)))
    assert.notEqual(old.worker, fresh.worker)
  }
})

test('what was asked ahead arrives after its request is over', async (t) => {
  const rows = tagged(20)
  const answer = wire(rows)
  // By request id: an ask without an answer for three seconds is sent again.
  const held = new Set()
  let gate
  let open
  const server = await httpServer(t, async (request) => {
    if (gate !== undefined) held.add(JSON.parse(request.body).request)
    await gate
    return answer(request)
  })
  const idle = await startWorker(source, { files, bindings: { LEAFID_STORE: server.url } })
  t.after(idle.end)
  const first = Number((await ask('/number', idle)).number)
  gate = new Promise((resolve) => (open = resolve))
  // Below 90 %: the request for the third number asks for more, without waiting.
  assert.deepEqual((await ask('/take?n=4', idle)).numbers, [1, 2, 3, 4].map((n) => String(first + n)))
  await until(() => held.size >= 1)
  assert.equal((await ask('/stats', idle)).orders.grants, 1)
  open()
  await until(async () => (await ask('/stats', idle)).orders.grants >= 2)
  assert.equal(held.size, 1)
})
