// Stores in this process: the memory store, `memory:` addresses, and `leafid/registry`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, decode, memoryStore } from 'leafid'
import { leaseSegment, namespaceRow } from 'leafid/registry'
import { refuses } from '../support/stores.mjs'

test('a layout stands for its fields', () => {
  const { layout } = namespaceRow({ layout: Layout.edge })
  assert.deepEqual([layout, JSON.parse(JSON.stringify(new Layout(Layout.edge)))], [Layout.edge.toJSON(), layout])
})

test('a namespace that is there is not made otherwise', async () => {
  const store = memoryStore()
  const wanted = { layout: 'edge', workers: { start: 3, end: 9 }, maxWindowMs: 60_000 }
  for (const spec of [wanted, wanted, { layout: 'edge' }]) store.createNamespace('eu', spec)
  for (const other of [{}, { ...wanted, workers: { start: 0, end: 9 } }, { ...wanted, maxWindowMs: 1_000 }]) {
    await refuses(() => store.createNamespace('eu', other), 'LAYOUT_MISMATCH', /^namespace `eu` exists already, and not as declared: `(layout|workers|maxWindowMs)` is `.*`, not `.*`; use it, or take another name$/)
  }
})

test('a number that nobody claims for 30 days is lent', async () => {
  let now = 1_800_000_000_000
  const store = memoryStore({ clock: () => now })
  store.createNamespace('two', { workers: { start: 0, end: 2 } })
  let asks = 0
  const acquire = (owner, sticky) => store.acquire({ namespace: 'two', owner, request: `0${(asks += 1)}`.repeat(16), sticky, strict: false }).worker
  assert.equal(acquire('sticky', true), 0)
  now += 29 * 86_400_000
  assert.equal(acquire('other', false), 1)
  await refuses(() => acquire('third', false), 'WORKERS_EXHAUSTED')
  now += 2 * 86_400_000
  assert.equal(acquire('third', false), 0, 'it rested longest')
})

test('`memory:`: one name is one store, another is another', async () => {
  const made = (Kind, names) => names.map((store) => new Kind('default', { store }))
  const [one, other] = made(Segment, ['memory:shared', new URL('memory:shared')])
  const ids = new Set()
  for (let turn = 0; turn < 3_000; turn++) ids.add(await one.next()).add(await other.next())
  assert.equal(ids.size, 6_000)
  const first = await Promise.all(made(Segment, ['memory:a', new URL('memory:b')]).map((orders) => orders.next()))
  assert.deepEqual(first, [1n, 1n])
  const stamps = await Promise.all(made(Snowflake, Array(3).fill('memory:flakes')).map((one) => one.next()))
  assert.equal(new Set(stamps.map((id) => decode(id).worker)).size, 3)
})

const STORE = '5a'.repeat(16)

test('rows and answers are plain data, with bigints for 64 bits', () => {
  const ask = { tag: 'orders', request: '01'.repeat(16) }
  const { row, grant } = leaseSegment(STORE, { maxId: 1n, step: 10, maxStep: 10, deleted: false }, ask, 1_800_000_000_000)
  assert.deepEqual(row, { maxId: 11n, step: 10, maxStep: 10, deleted: false })
  assert.deepEqual([grant.start, grant.end, grant.request], [1n, 11n, ask.request])
  assert.equal(Object.getPrototypeOf(row), Object.prototype)
})
