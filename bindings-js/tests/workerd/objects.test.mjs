// Stores in Durable Objects and D1: deploys, evictions and alarms; and the errors of a missing setup.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { remove, scratch } from '../support/ends.mjs'
import { startMiniflare } from '../support/miniflare.mjs'
import { makeD1, makeDatabase, runtime } from '../support/runtime.mjs'
import { until } from '../support/stores.mjs'

const worker = readFileSync(new URL('./objects-worker.mjs', import.meta.url), 'utf8')

/** The Worker's source with these tags and namespaces. */
const declaring = (tags, namespaces = { default: {} }) =>
  worker.replace('DECLARED_TAGS', JSON.stringify(tags)).replace('DECLARED_NAMESPACES', JSON.stringify(namespaces))

/** Options of a runtime whose package has tables of a later version. */
function later({ workers, ...options }) {
  // The package's own version is a text.
  const contents = ({ type, contents }) => (type === 'ESModule' ? String(contents).replace(/^(var VERSION\w* =) \d+;$/m, '$1 99;') : contents)
  const package_of = ({ modules, ...worker }) => ({ ...worker, modules: modules.map((module) => ({ ...module, contents: contents(module) })) })
  return { ...options, workers: workers.map((worker) => (worker.name === 'a' ? package_of(worker) : worker)) }
}

const OBJECTS = { IDS: 'Ids', OTHER: 'Other', PLAIN: 'Plain', MISSPELT: 'Misspelt' }

/** A runtime for the test `t`, with its store's tables. */
async function started(t, source, { store = 'object', flags } = {}) {
  const folder = scratch()
  const options = (source) => runtime(source, folder, { isolates: ['a'], objects: OBJECTS, flags })
  const { miniflare, fetch, end } = await startMiniflare(options(source))
  t.after(async () => {
    await end()
    remove(folder)
  })
  if (store === 'd1') await makeDatabase(miniflare)
  const ask = async (what) => (await fetch(`/a/?${new URLSearchParams(what)}`)).json()
  /** Checks that an action, by default a draw, is refused with this code and these words. */
  const refused = async (what, code, words = /./) => {
    const told = await ask({ act: 'next', ...what })
    assert.equal(told.code, code, JSON.stringify(told))
    assert.match(told.message, words)
    return told
  }
  return {
    ask,
    refused,
    /** Checks that a draw without waiting times out for this reason. */
    waits: async (what, cause) => assert.equal((await refused({ ...what, timeout: 0 }, 'TIMED_OUT')).cause, cause),
    next: async (what) => {
      const told = await ask({ act: 'next', ...what })
      assert.equal(told.code, undefined, JSON.stringify(told))
      return BigInt(told.id)
    },
    deploy: (source, changed = (options) => options) => miniflare.setOptions(changed(options(source))),
    miniflare,
  }
}

// Concurrent, since most of them wait for windows to end.
describe('over both', { concurrency: true }, () => {
  for (const store of ['object', 'd1']) {
    test(`what a store must do, over ${store}`, async (t) => {
      const { ask } = await started(t, declaring({ conform: { from: '1', step: 10, maxStep: 100 } }, { conform: { workers: { start: 0, end: 4 } } }), { store })
      const { passed, skipped, message } = await ask({ act: 'conform', store })
      assert.deepEqual([passed?.length, skipped], [26, {}], message)
    })

    test(`a deploy over ${store}: numbers go on, steps and ends change, tags come and go`, async (t) => {
      const { refused, next, deploy } = await started(t, declaring({ orders: { from: '1', step: 10 }, old: { from: '1' } }), { store })
      assert.deepEqual([await next({ store }), await next({ store, tag: 'old' })], [1n, 1n])
      await deploy(declaring({ orders: { step: 30, until: 100 + '' }, fresh: { from: '5' } }))
      // The rest of the range is lost with its isolate.
      assert.equal(await next({ store }), 11n)
      assert.equal(await next({ store, tag: 'fresh' }), 5n)
      await refused({ store, tag: 'old' }, 'TAG_UNKNOWN', /^tag `old` is not declared: check its spelling, or declare it with `(static tags|d1Store\('DB', \{ tags:)/)
      await deploy(declaring({ orders: { step: 30, until: '20' }, fresh: { from: '5000' }, old: {} }))
      await refused({ store, tag: 'fresh' }, 'TAG_EXISTS', /^tag `fresh` exists already, and not as declared: it stands at `1005`, below `from` `5000`, which counts only when a tag is made; leave `from` out, or take another name$/)
      await refused({ store }, 'RANGE_INVALID', /^until must be 41 to \d+, got `20`: the position of tag `orders` is 41/)
      assert.ok((await next({ store, tag: 'old' })) > 1n, 'a tag that comes back goes on')
    })

    test(`a deploy over ${store}: a layout stays after the first window, numbers leave when their windows are over`, async (t) => {
      const [first, later] = [0, 5].map((start) => ({ layout: 'edge', workers: { start, end: start + 1 } }))
      const { ask, refused, waits, next, deploy } = await started(t, declaring({}, { default: {}, yard: {}, shop: first, depot: first }), { store })
      for (const namespace of ['default', 'yard']) await next({ store, kind: 'snowflake', namespace })
      // A window of a minute outlasts even a slow machine.
      assert.equal((await ask({ act: 'hold', store, namespace: 'depot' })).worker, 0)
      assert.equal((await ask({ act: 'next', store, kind: 'snowflake', namespace: 'misspelt' })).code, 'NAMESPACE_UNKNOWN')
      const one = await ask({ act: 'next', store, kind: 'snowflake', namespace: 'shop' })
      assert.equal(one.worker, 0)
      await deploy(declaring({}, { default: { layout: 'edge' }, yard: { maxWindowMs: 60_000 }, shop: later, depot: later }))
      await refused({ store, kind: 'snowflake', namespace: 'yard' }, 'LAYOUT_MISMATCH', /^namespace `yard` has windows of at most 600000 ms, and has granted some: this cannot change any more/)
      await refused({ store, kind: 'snowflake' }, 'LAYOUT_MISMATCH', /^namespace `default` has layout 41\/10\/12 .*, which cannot become 41\/16\/6 .* after its first window/)
      await waits({ store, kind: 'snowflake', namespace: 'depot' }, 'WORKERS_EXHAUSTED')
      const moved = await ask({ act: 'next', store, kind: 'snowflake', namespace: 'shop', timeout: 120_000 })
      assert.equal(moved.worker, 5)
      assert.ok(BigInt(moved.id) > BigInt(one.id))
    })
  }
})

test('an object that is evicted, or woken by an alarm of its own, goes on', async (t) => {
  const { ask, next } = await started(t, declaring({ orders: { from: '1', step: 10 } }))
  const store = 'object'
  await next({ store })
  await ask({ act: 'evict', tag: 'orders' })
  assert.equal(await next({ store, holder: 'second' }), 11n)
  await ask({ act: 'wake', tag: 'orders' })
  await until(async () => (await ask({ act: 'alarms', tag: 'orders' })).alarms >= 1)
  await ask({ act: 'evict', tag: 'orders' })
  assert.equal(await next({ store, holder: 'third' }), 21n)
})

for (const store of ['object', 'd1']) {
  test(`a store that was written with a clock ahead goes on from there, and does not stand still: ${store}`, async (t) => {
    const { ask, miniflare } = await started(t, declaring({}), { store })
    const ahead = Date.now() + 8 * 3_600_000
    const time = async () => {
      const { nowMs, ...refused } = await ask({ act: 'time', store })
      assert.deepEqual(refused, {})
      return nowMs
    }
    if (store === 'd1') await (await miniflare.getD1Database('DB', 'a')).prepare('UPDATE meta SET beat_ms = ?').bind(ahead).run()
    else {
      await time()
      await ask({ act: 'ahead', ms: ahead })
    }
    const first = await time()
    assert.ok(first >= ahead && first < ahead + 60_000, `${first - ahead}`)
    await until(async () => (await time()) > first)
  })
}

test('a class of another version refuses, and the one before goes on', async (t) => {
  const source = declaring({ orders: { from: '1', step: 10 } })
  const { refused, next, deploy } = await started(t, source)
  const store = 'object'
  assert.equal(await next({ store }), 1n)
  await deploy(source, later)
  await refused({ store }, 'SCHEMA_MISMATCH', /tables of version \d+, this program knows 99: deploy the version of leafid that wrote them$/)
  await deploy(source)
  assert.equal(await next({ store }), 11n)
})

test('an object whose storage was deleted is another store: its holders stop', async (t) => {
  const { ask, next } = await started(t, declaring({ orders: { from: '1', step: 2 } }))
  await next({ store: 'object' })
  await ask({ act: 'wipe', tag: 'orders' })
  await until(async () => (await ask({ act: 'next', store: 'object' })).code === 'STORE_CHANGED')
  assert.equal((await ask({ act: 'next', store: 'object' })).code, 'STORE_CHANGED')
})

test('an object answers for its own name alone, or the first served', async (t) => {
  const { ask, refused, next } = await started(t, declaring({ orders: { from: '1', step: 10 }, other: { from: '1' } }))
  await refused({ act: 'stray', by: 'unique', asked: 'orders' }, 'REQUEST_INVALID', /^an object without a name was asked for `tag:orders`/)
  await refused({ act: 'stray', by: 'id', tag: 'orders', asked: 'orders' }, 'REQUEST_INVALID')
  await ask({ act: 'evict', tag: 'orders' })
  assert.equal(await next({ store: 'object' }), 1n)
  await ask({ act: 'evict', tag: 'orders' })
  await refused({ act: 'stray', by: 'id', tag: 'orders', asked: 'other' }, 'REQUEST_INVALID', /^the object `tag:orders` was asked for `tag:other`/)
  assert.equal((await ask({ act: 'stray', by: 'id', tag: 'orders', asked: 'orders' })).start, '11')
  await refused({ act: 'stray', tag: 'orders', asked: 'other' }, 'REQUEST_INVALID', /^the object `tag:orders` was asked for `tag:other`/)
})

test('an object without a row makes no tag without `from`', async (t) => {
  const { ask, next, deploy } = await started(t, declaring({ orders: { from: '1', step: 10 } }))
  const store = 'object'
  assert.equal(await next({ store }), 1n)
  await deploy(declaring({ orders: { step: 10 } }))
  assert.equal(await next({ store }), 11n, 'what is there goes on')
  await ask({ act: 'wipe', tag: 'orders' })
  let lost
  await until(async () => {
    lost = await ask({ act: 'next', store, holder: 'fresh', timeout: 0 })
    return lost.code === 'REQUEST_INVALID'
  })
  assert.match(lost.message, /^tag `orders` needs `from`: it has no row here, .* declare `from: '1'` for a new one, else a first number above every one in use$/)
})

test('a binding that is not there: the lines of wrangler.jsonc, at once', async (t) => {
  const { refused } = await started(t, declaring({ orders: {} }))
  const object = await refused({ store: 'object', binding: 'MISSING' }, 'REQUEST_INVALID', /`MISSING` must be a Durable Object, and there is no such binding: add to wrangler\.jsonc\n/)
  assert.match(object.message, /"durable_objects": \{ "bindings": \[\{ "name": "MISSING", "class_name": "Ids" \}\] \},\n.*"new_sqlite_classes"/)
  await refused({ store: 'd1', binding: 'MISSING' }, 'REQUEST_INVALID', /"d1_databases": \[\{ "binding": "MISSING"/)
  await refused({ store: 'd1', binding: 'IDS' }, 'REQUEST_INVALID', /`IDS` must be a D1 database, and it is `/)
  await refused({ store: 'object', binding: 'PLAIN' }, 'REQUEST_INVALID', /the class of `PLAIN` has no method `leaseSegment`: let it extend LeafidObject/)
  await refused({ store: 'file' }, 'NOT_ENABLED', /^`sqlite:ids\.db` is not here: only the Node build of leafid opens it; in a Worker take `d1Store`/)
})

test('D1 without tables, and with tables of another version', async (t) => {
  const { ask, refused, next, miniflare } = await started(t, declaring({ orders: {} }))
  await refused({ store: 'd1' }, 'NOT_ENABLED', /make it with `npx wrangler d1 execute ids --local --file node_modules\/leafid\/sql\/d1\.sql`/)
  const database = await miniflare.getD1Database('DB', 'a')
  await database.batch(makeD1().map((text) => database.prepare(text)))
  assert.equal(await next({ store: 'd1' }), 1n)
  await database.prepare('UPDATE schema_version SET version = version - 1').run()
  let older
  await until(async () => {
    older = await ask({ act: 'next', store: 'd1', holder: 'second', timeout: 1_000 })
    return older.cause === 'SCHEMA_MISMATCH'
  })
  assert.match(older.message, /tables of version \d+, this program knows \d+: deploy the version of leafid that wrote them$/)
})

test('D1: declared with the first lease; used numbers stay taken', async (t) => {
  const { ask, miniflare } = await started(t, declaring({ orders: { from: '1' } }), { store: 'd1' })
  const batches = (verb, request) => ask({ act: 'batches', verb, request })
  for (const request of ['01', '02']) assert.equal((await batches('leaseSegment', request)).batches, 2, 'one reads, one writes')
  // The middle batch looks for free numbers.
  assert.deepEqual(await batches('acquire', '01'), { batches: 3, worker: 0 })
  const database = await miniflare.getD1Database('DB', 'a')
  await database.prepare('DELETE FROM namespaces').run()
  assert.equal((await batches('acquire', '02')).worker, 1)
  const { results } = await database.prepare('SELECT worker, inside FROM workers ORDER BY worker').all()
  assert.deepEqual(results, [{ worker: 0, inside: 1 }, { worker: 1, inside: 1 }])
})

test('a store per ask: a stub, and errors with a code alone', async (t) => {
  // Before 2026-04-21, without this flag, an error keeps only its message.
  const { refused, next } = await started(t, declaring({ orders: {} }), { flags: ['enhanced_error_serialization'] })
  assert.equal(await next({ store: 'own' }), 1n)
  assert.equal(await next({ store: 'own' }), 2n)
  await refused({ store: 'own', tag: 'misspelt' }, 'TAG_UNKNOWN')
})

test('where objects live is passed on', async (t) => {
  const { ask } = await started(t, declaring({ orders: { from: '1' } }))
  assert.deepEqual(await ask({ act: 'places' }), { jurisdiction: 'eu', locationHint: 'weur', name: 'tag:orders' })
})

test('bad declarations, jurisdictions and replies fail at once', async (t) => {
  const { refused } = await started(t, declaring({ orders: { from: '1' } }))
  await refused({ store: 'eu', timeout: 60_000 }, 'REQUEST_INVALID', /^the jurisdiction `'eu'` cannot be had here \(.+\): `wrangler dev` has none, so pass it only where the Worker is deployed$/)
  // D1 reports it when declared, an object at its first ask of any kind.
  for (const what of [{ store: 'misspelt' }, { store: 'object', binding: 'MISSPELT', timeout: 60_000 }]) {
    await refused(what, 'REQUEST_INVALID', /^namespace `default`: unknown field `layuot`: fields are `layout`, `workers`, `maxWindowMs`$/)
  }
  // A custom store answers with bare grants.
  await refused({ store: 'object', binding: 'OTHER', timeout: 60_000 }, 'REQUEST_INVALID', /^`leaseSegment` of the object returned `\{request: .+`, which is no reply of a LeafidObject: where a class overrides it, return what `super` returned$/)
})
