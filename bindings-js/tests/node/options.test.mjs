// Layouts and IDs for `decode`, options that are known, and passwords in addresses. What is refused: `messages.test.mjs`.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Layout, Segment, Snowflake, decode, httpStore, memoryStore } from 'leafid'
import { refusal, refuses } from '../support/stores.mjs'

const store = memoryStore()
const URL_TEXT = 'http://127.0.0.1:8750'

test('a layout may be passed to `decode` as it is', () => {
  const { tick, worker, sequence } = decode(97583759569410n, { layout: 'js53' })
  const fields = Layout.js53.toJSON()
  for (const layout of ['js53', Layout.js53, fields, { layout: Layout.js53 }, { layout: fields }]) {
    const parts = decode(97583759569410n, layout)
    assert.deepEqual([parts.tick, parts.worker, parts.sequence], [tick, worker, sequence], inspect(layout))
  }
  assert.notEqual(decode(97583759569410n).tick, tick, 'the control: `leaf` reads it otherwise')
  assert.deepEqual(decode(97583759569410n, { layout: undefined }), decode(97583759569410n, 'leaf'))
  const parts = decode('7222222222222222222')
  for (const time of [parts.time, parts.timeMs, Number(parts.timeMs)]) {
    for (const number of [parts.sequence, Number(parts.sequence)]) assert.equal(Layout.leaf.compose(time, parts.worker, number), 7222222222222222222n)
  }
})

test('a layout of another copy of the package is that layout', async () => {
  // The copy for loaders without ES modules.
  const require = createRequire(import.meta.url)
  const { Layout: Theirs } = require(join(dirname(require.resolve('leafid/package.json')), 'cjs/entries/node.js'))
  assert.ok(!(Theirs.js53 instanceof Layout))
  const parts = decode(97583759569410n, 'js53')
  for (const layout of [Theirs.js53, { layout: Theirs.js53 }]) assert.deepEqual(decode(97583759569410n, layout), parts)
  const own = memoryStore()
  own.createNamespace('small', { layout: Theirs.js53 })
  assert.equal(typeof (await new Snowflake('small', { store: own, layout: Theirs.js53 }).nextNumber()), 'number')
  await refuses(() => new Snowflake('small', Theirs.js53), 'REQUEST_INVALID', 'options must be an object, got `Layout {}`: did you mean `{ layout: … }`?')
})

test('`decode` takes exact numbers, and says what else it takes', async () => {
  assert.deepEqual(decode(97583759569410, 'js53'), decode('97583759569410', 'js53'))
  assert.deepEqual(decode(Number.MAX_SAFE_INTEGER, 'js53'), decode(2n ** 53n - 1n, 'js53'))
  for (const wrong of [2 ** 53, 1.5, -1, Number.NaN, null, undefined, {}]) {
    await refuses(() => decode(wrong, 'js53'), 'ID_INVALID', /^an ID must be a bigint from 0 to 2\^63 - 1, its decimal string, or a whole number below 2\^53, got `/)
  }
})

test('every option that there is passes', () => {
  const clock = () => 5
  new Segment('orders', { store, timeout: 1, clock, step: 5, maxStep: 500, maxGrowth: 2 })
  new Segment('orders', Object.assign(Object.create(null), { store }))
  new Snowflake('default', { store, timeout: 1, clock, layout: 'edge', owner: 'me', lengthMs: 5_000, maxAheadMs: 0, spread: 4 })
  httpStore(URL_TEXT, { token: 'x' })
  memoryStore({ clock, id: '5a'.repeat(16), createOnUse: true })
})

test('a password in an address is never shown', async () => {
  const secrets = ['hunter2', 'hun@ter2', 'hun/ter2', 'hunter2#', 'hunter2'.padEnd(400, 'x')]
  const addresses = secrets.flatMap((secret) => ['http://me:', 'ftp://me:', 'me:', 'http:me:'].map((start) => `${start}${secret}@127.0.0.1:1`))
  for (const address of addresses) {
    const acts = [
      () => httpStore(address),
      () => new Segment('orders', { store: address }),
      () => new Segment('orders', address),
      () => new Snowflake('default', { store: address }),
      () => (URL.canParse(address) ? httpStore(new URL(address)) : httpStore(address)),
    ]
    for (const act of acts) {
      const error = await refusal(act)
      for (const text of [error.message, inspect(error, { depth: null, showHidden: true }), String(error), error.stack]) {
        const told = text.replaceAll(/\n\s+at .*/g, '')
        assert.ok(!told.includes('hun') && !told.includes('ter2'), told)
      }
    }
  }
  await refuses(
    () => new Segment('orders', { store: 'http://me:hunter2@127.0.0.1:1' }),
    'REQUEST_INVALID',
    "the store's address must have no user or password, got `'http://***@127.0.0.1:1'`: pass a token as `httpStore(url, { token })`",
  )
  const began = performance.now()
  await refusal(() => new Segment('orders', { timeout: '://'.repeat(1e6) }))
  assert.ok(performance.now() - began < 5_000, 'a long text is read once')
  assert.match((await refusal(() => new Segment({ store: 'http://me:hunter2@h' }))).message, /'http:\/\/\*\*\*@h'/)
})

test('what `close` is given by whoever calls it back does no harm', async () => {
  for (const given of [null, 5, new Error('ended'), { release: true }]) {
    const ids = new Segment('orders', { store })
    await ids.next()
    await ids.close(given)
    assert.equal((await refusal(() => ids.next())).code, 'CLOSED')
  }
})
