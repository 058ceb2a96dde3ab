// `create`'s declarations for a file hold or are refused by name, those of `default` included.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, decode } from 'leafid'
import { sqlStore, sqliteStore } from 'leafid/node'
import { drawer, lines } from '../support/drawn.mjs'
import { scratch, startNode } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'
import { leafid } from '../support/store.mjs'
import { refusal, refuses } from '../support/stores.mjs'

const numbers = (start, end) => ({ namespaces: { default: { workers: { start, end } } } })
const lease = (store) => store.leaseSegment({ tag: 'orders', request: '01'.repeat(16) })
const acquire = (store) => store.acquire({ namespace: 'default', owner: 'me', request: '01'.repeat(16), sticky: false, strict: false })

const twice = (ids) => ids.length - new Set(ids).size

for (const [name, second, isAlike] of [
  ['worker numbers split over two files: no duplicates', numbers(8, 16), false],
  ['the control: two files that are declared alike give the same IDs', numbers(0, 8), true],
]) {
  test(name, { timeout: 600_000 }, async (t) => {
    const holders = [numbers(0, 8), second].map((create) => new Snowflake('default', { store: sqliteStore(join(scratch(t), 'ids.db'), { create }) }))
    const ids = []
    while (ids.length < 10_000 || (isAlike && twice(ids) === 0)) {
      for (const holder of holders) ids.push(...(await holder.take(100)))
    }
    console.log(`declared: ${ids.length} IDs, ${twice(ids)} duplicates`)
    assert.equal(twice(ids) > 0, isAlike)
    await Promise.all(holders.map((holder) => holder.close()))
  })
}

test('the namespace `default` is made as it is declared; else as always', async (t) => {
  const path = () => join(scratch(t), 'ids.db')
  const edge = { layout: 'edge', workers: { start: 100, end: 104 }, maxWindowMs: 60_000 }
  for (const store of [sqliteStore(path(), { create: { namespaces: { default: edge } } }), sqlStore(`sqlite:${path()}`, { create: { namespaces: { default: edge } } })]) {
    const { worker, layout } = acquire(store)
    assert.deepEqual([worker, layout.workerBits], [100, 16])
  }
  for (const create of [true, {}, { namespaces: { other: edge } }]) {
    const { worker, layout } = acquire(sqliteStore(path(), { create }))
    assert.deepEqual([worker, layout.workerBits], [0, 10])
  }
})

test('what differs from its declaration is refused at first use', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const namespaces = { default: { layout: 'edge', workers: { start: 3, end: 9 }, maxWindowMs: 60_000 } }
  const tags = { orders: { from: '50', step: 10, maxStep: 100, until: '9007199254740993' } }
  const first = sqliteStore(path, { create: { tags, namespaces } })
  assert.deepEqual([lease(first).start, acquire(first).worker], [50n, 3])
  // The field comparison and its words are the same in every language: `test_tables.py` has all cases.
  const words = /: `(step|workers)` is `(10|3..9)`, not `(500|0..8)`.*; declare what is there, or change it: leafid (tag set orders|namespace set default) --store sqlite:/
  const other = sqliteStore(path, { create: { tags: { orders: { step: 500 } }, namespaces: { default: { workers: { start: 0, end: 8 } } } } })
  for (let twice = 0; twice < 2; twice++) {
    await refuses(() => lease(other), 'TAG_EXISTS', words)
    await refuses(() => acquire(other), 'LAYOUT_MISMATCH', words)
  }
  const far = { tags: { orders: { maxStep: 7 } }, namespaces: { default: { maxWindowMs: 1_000 } } }
  await refuses(() => lease(sqliteStore(path, { create: far })), 'TAG_EXISTS', /: `maxStep` is `100`, not `7`; declare/)
  await refuses(() => acquire(sqliteStore(path, { create: far })), 'LAYOUT_MISMATCH', /: `maxWindowMs` is `60000`, not `1000`; declare/)
  // A generator gets the error at once, and undeclared fields may have any value.
  const ids = new Segment('orders', { store: sqliteStore(path, { create: { tags: { orders: { step: 500 } } } }) })
  assert.equal((await refusal(() => ids.next())).code, 'TAG_EXISTS')
  const later = sqliteStore(path, { create: { tags: { orders: { from: 60n } }, namespaces: { default: {} } } })
  assert.deepEqual([lease(later).start, acquire(later).worker], [60n, 3])
})

test('an operator’s change is refused to newcomers, not holders', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const create = { tags: { orders: { step: 10 } }, ...numbers(3, 9) }
  const [running, later] = [sqliteStore(path, { create }), sqliteStore(path, { create })]
  const { worker, store, request: key, end } = acquire(running)
  assert.deepEqual([lease(running).start, lease(running).start], [1n, 11n])
  leafid('tag', 'set', 'orders', '--step', '20', '--store', `sqlite:${path}`)
  leafid('namespace', 'set', 'default', '--workers', '3..20', '--store', `sqlite:${path}`)
  assert.equal(lease(running).step, 20)
  assert.equal(running.renew({ namespace: 'default', store, worker, key, haveUntil: end, request: '02'.repeat(16) }).worker, worker)
  assert.equal((await refusal(() => lease(later))).code, 'TAG_EXISTS')
  assert.equal((await refusal(() => acquire(later))).code, 'LAYOUT_MISMATCH')
})

test('where a declaration may change a layout, the floor of a lost store stays at its time', async (t) => {
  const { Connection, Works, runNear } = await inner()
  const path = join(scratch(t), 'ids.db')
  leafid('init', '--replaces-lost', '--store', `sqlite:${path}`)
  const connection = new Connection(path)
  const [leaf, edge] = ['leaf', 'edge'].map((layout) => {
    const works = new Works({ declared: { namespaces: { shop: { layout } } }, clock: () => Date.now(), hasVersion: false })
    const ask = { namespace: 'shop', owner: 'me', request: '01'.repeat(16), sticky: false, strict: false }
    assert.throws(() => runNear(connection, () => works.begin('acquire', ask)), { code: 'WORKERS_EXHAUSTED' })
    const [row] = connection.all({ sql: "SELECT CAST(floor AS TEXT) AS floor FROM namespaces WHERE namespace = 'shop'", params: [] })
    return Layout[layout].epochMs + Number(row.floor)
  })
  assert.equal(leaf, edge)
  connection.close()
})

test('a declaration that cannot be is refused when it is given', async () => {
  const cases = [
    ['yes', 'REQUEST_INVALID', "`create` must be true, false or an object, got `'yes'`"],
    [null, 'REQUEST_INVALID', '`create` must be true, false or an object, got `null`'],
    [{ tag: {} }, 'REQUEST_INVALID', 'unknown field `tag`: fields are `tags`, `namespaces`'],
    [{ tags: ['orders'] }, 'REQUEST_INVALID', "`tags` must be an object, got `['orders']`"],
    [{ tags: { orders: 5 } }, 'REQUEST_INVALID', 'tag `orders`: its declaration must be an object, got `5`'],
    [{ tags: { orders: { max_step: 5 } } }, 'REQUEST_INVALID', 'tag `orders`: unknown field `max_step`: fields are `from`, `step`, `maxStep`, `until`'],
    [{ tags: { orders: { tag: 'bills' } } }, 'REQUEST_INVALID', 'tag `orders`: unknown field `tag`: fields are `from`, `step`, `maxStep`, `until`'],
    [{ tags: { orders: { from: 5 } } }, 'REQUEST_INVALID', 'tag `orders`: `from` must be a bigint or a decimal string, got `5`'],
    [{ tags: { orders: { step: 0 } } }, 'STEP_INVALID', /^tag `orders`: `step` must be 1 to `maxStep`/],
    [{ tags: { 'a b': {} } }, 'TAG_INVALID', /^tag `a b`: `tag` must be 1 to 128 letters/],
    [{ namespaces: { default: 5 } }, 'REQUEST_INVALID', 'namespace `default`: its declaration must be an object, got `5`'],
    [{ namespaces: { default: 'edge' } }, 'REQUEST_INVALID', "namespace `default`: its declaration must be an object, got `'edge'`"],
    [{ namespaces: { default: { layuot: 'edge' } } }, 'REQUEST_INVALID', 'namespace `default`: unknown field `layuot`: fields are `layout`, `workers`, `maxWindowMs`'],
    [{ namespaces: { default: { layout: 'egde' } } }, 'LAYOUT_INVALID', /^namespace `default`: `layout` must be `leaf`, /],
    [{ namespaces: { default: { workers: [0, 8] } } }, 'REQUEST_INVALID', /^namespace `default`: `(start|workers)` must be |^namespace `default`: there is no `start`/],
    [{ namespaces: { default: { workers: { start: 0, end: 2_000 } } } }, 'WORKER_INVALID', /^namespace `default`: `workers` must be/],
  ]
  for (const [create, code, message] of cases) {
    for (const make of [() => sqliteStore('ids.db', { create }), () => sqlStore('postgres://127.0.0.1:1/ids', { create })]) await refuses(make, code, message)
  }
})

test('an ask is refused in JavaScript’s words', async (t) => {
  const store = sqliteStore(join(scratch(t), 'ids.db'), { create: { tags: { orders: {} } } })
  const asked = (ask) => () => store.leaseSegment({ tag: 'orders', request: '01'.repeat(16), ...ask })
  await refuses(asked({ at_least: 5 }), 'REQUEST_INVALID', /^unknown field `at_least`: fields are .*`atLeast`/)
  await refuses(asked({ atLeast: 0 }), 'COUNT_INVALID', /^`atLeast` must be 1 or more, got `0`/)
  await refuses(asked({ exactly: 5, step: 5 }), 'REQUEST_INVALID', /leave out `step` and `atLeast`$/)
})

test('a bad path or option is refused when it is given', async () => {
  await refuses(() => sqliteStore(''), 'REQUEST_INVALID', /path of an SQLite file must be a text/)
  await refuses(() => sqliteStore('ids.db', { craete: true }), 'REQUEST_INVALID', /unknown option `craete`/)
})

/** Processes that all create one file, each with its declaration: their IDs, or their errors. */
function race(t, creates) {
  const path = join(scratch(t), 'ids.db')
  return Promise.all(
    creates.map(async (create) => {
      const child = startNode([drawer, path, 'snowflake', '200', 'process', 'ends', JSON.stringify(create)])
      const ids = []
      const { told } = await lines(child, (line) => ids.push(BigInt(line.slice(0, -1))))
      return { error: told, ids }
    }),
  )
}

test('of processes that declare otherwise one wins', { timeout: 600_000 }, async (t) => {
  const alike = await race(t, Array(4).fill(numbers(3, 9)))
  const ids = alike.flatMap(({ ids }) => ids)
  assert.deepEqual([ids.length, twice(ids)], [800, 0], alike.map(({ error }) => error).join())
  for (const id of ids) assert.ok(decode(id).worker >= 3 && decode(id).worker < 9, String(id))
  const told = await race(t, [numbers(0, 8), numbers(8, 16), numbers(16, 24)])
  assert.deepEqual(told.map(({ ids }) => ids.length).sort(), [0, 0, 200])
  for (const { error } of told.filter(({ ids }) => ids.length === 0)) assert.match(error, /LAYOUT_MISMATCH[^]*namespace `default` exists already|namespace `default` exists already[^]*LAYOUT_MISMATCH/)
})
