// Several generators of one tag in one process: they work, and cause a warning.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Layout, LeafidError, Segment, Snowflake, decode, memoryStore } from 'leafid'
import { ranNode } from '../support/ends.mjs'
import { ownStore, refusal, tagged } from '../support/stores.mjs'

/** The standard error of a program with `store`, which is no store of tests. */
function told(program) {
  const rows = `import { Segment, Snowflake, memoryStore } from 'leafid'
    const rows = memoryStore()
    const store = { leaseSegment: (ask) => rows.leaseSegment(ask), acquire: (ask) => rows.acquire(ask), renew: (ask) => rows.renew(ask), release: (ask) => rows.release(ask) }\n`
  const { status, stderr } = ranNode(['--input-type=module', '-e', rows + program], { cwd: import.meta.dirname })
  assert.equal(status, 0, stderr)
  return stderr
}

test('a generator for each request is warned of, once', () => {
  const stderr = told(`for (let n = 0; n < 5; n++) await new Segment('orders', { store }).next()`)
  assert.match(stderr, /\[LEAFID_MANY_GENERATORS\] LeafidWarning: 2 generators in this process draw from the tag `orders` of one store, and each leases a range of its own: make one/)
  assert.equal(stderr.match(/LeafidWarning/g).length, 1)
  assert.match(told(`for (let n = 0; n < 5; n++) await new Snowflake('default', { store }).next()`), /draw from the namespace `default` of one store, and each leases a worker number of its own until its window ends/)
})

test('no warning without two generators that draw side by side', () => {
  const programs = [
    `for (let n = 0; n < 5; n++) { const ids = new Segment('orders', { store }); await ids.next(); await ids.close() }`,
    `for (const tag of ['a', 'b', 'c']) await new Segment(tag, { store }).next()`,
    `for (let n = 0; n < 5; n++) new Segment('orders', { store })`,
    `for (const owner of ['api-0', 'api-1']) await new Snowflake('default', { store, owner }).next()`,
    `for (let n = 0; n < 5; n++) await new Segment('orders', { store: memoryStore() }).next()`,
    `for (let n = 0; n < 5; n++) await new Segment('orders', { store: 'memory:' }).next()`,
    `const [one, two] = ['segment', 'snowflake'].map((kind) => kind === 'segment' ? new Segment('default', { store }) : new Snowflake('default', { store })); await one.next(); await two.next()`,
  ]
  for (const program of programs) assert.equal(told(program), '', program)
})

test('two copies of the package: one kind of error and of layout', async () => {
  const require = createRequire(import.meta.url)
  const copy = require(join(dirname(require.resolve('leafid/package.json')), 'cjs/leafid.js'))
  assert.notEqual(copy.Segment, Segment)
  assert.equal(require('leafid').Segment, Segment)
  const rows = tagged(10, 20)
  const store = ownStore({ rows })
  const ids = (await Promise.all([Segment, copy.Segment].map((one) => new one('orders', { store }).take(20)))).flat()
  assert.equal(new Set(ids).size, 40)
  const refuses = { leaseSegment: () => Promise.reject(new copy.LeafidError('FORBIDDEN', 'not you')) }
  const { code } = await refusal(() => new Segment('orders', { store: refuses }).next())
  assert.deepEqual([code, new copy.LeafidError('FORBIDDEN', '') instanceof LeafidError], ['FORBIDDEN', false])
  const theirs = copy.Layout.js53
  assert.ok(!(theirs instanceof Layout))
  for (const layout of [theirs, { layout: theirs }]) assert.deepEqual(decode(97583759569410n, layout), decode(97583759569410n, 'js53'))
  const own = memoryStore()
  own.createNamespace('small', { layout: theirs })
  assert.equal(typeof (await new Snowflake('small', { store: own, layout: theirs }).nextNumber()), 'number')
})

// All entries share one engine, with its generators' ranges.
test('an entry that is imported later changes nothing for those who draw', async () => {
  const store = memoryStore()
  const ids = [new Segment('orders', { store }), new Snowflake('default', { store })]
  const before = ids.map((one) => one.nextSync())
  for (const entry of ['node', 'public', 'registry', 'testing', 'workers']) await import(`leafid/${entry}`)
  ids.push(new Segment('orders', { store }))
  const after = ids.flatMap((one) => one.takeSync(200))
  assert.ok(after[0] > before[0] && after[200] > before[1])
  assert.equal(new Set([...before, ...after]).size, 602)
})
