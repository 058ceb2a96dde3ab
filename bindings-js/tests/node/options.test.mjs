// Options that would do nothing are refused: a typo must not disarm a guard, or choose another store.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Layout, Segment, Snowflake, decode, httpStore, memoryStore } from 'leafid'
import { namespace_row, tag_row } from 'leafid/registry'
import { refusal } from '../support/stores.mjs'

const store = memoryStore()
const SEGMENT = '`store`, `timeout`, `onError`, `clock`, `step`, `maxStep`, `maxGrowth`'
const SNOWFLAKE = '`store`, `timeout`, `onError`, `clock`, `layout`, `owner`, `sticky`, `strict`, `lengthMs`, `maxAheadMs`, `spread`, `state`'
const URL_TEXT = 'http://127.0.0.1:8750'

async function refused(act, message) {
  const error = await refusal(act)
  assert.equal(error.code, 'REQUEST_INVALID', `${act}: ${error.message}`)
  assert.equal(error.message, message)
}

test('a layout may be passed to `decode` as it is', () => {
  const { tick, worker, sequence } = decode(97583759569410n, { layout: 'js53' })
  const fields = Layout.js53.toJSON()
  for (const layout of ['js53', Layout.js53, fields, { layout: Layout.js53 }, { layout: fields }]) {
    const parts = decode(97583759569410n, layout)
    assert.deepEqual([parts.tick, parts.worker, parts.sequence], [tick, worker, sequence], inspect(layout))
  }
  assert.notEqual(decode(97583759569410n).tick, tick, 'the control: `leaf` reads it otherwise')
  assert.deepEqual(decode(97583759569410n, { layout: undefined }), decode(97583759569410n, 'leaf'))
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
  await refused(() => new Snowflake('small', Theirs.js53), 'options must be an object, got `Layout {}`: did you mean `{ layout: … }`?')
})

test('a number is decoded where it is exact; what else could be passed is said', async () => {
  assert.deepEqual(decode(97583759569410, 'js53'), decode('97583759569410', 'js53'))
  assert.deepEqual(decode(Number.MAX_SAFE_INTEGER, 'js53'), decode(2n ** 53n - 1n, 'js53'))
  for (const wrong of [2 ** 53, 1.5, -1, Number.NaN, null, undefined, {}]) {
    const { code, message } = await refusal(() => decode(wrong, 'js53'))
    assert.equal(code, 'ID_INVALID')
    assert.match(message, /^an ID must be a bigint from 0 to 2\^63 - 1, its decimal string, or a whole number below 2\^53, got `/)
  }
})

test('what `decode` does not know is refused', async () => {
  await refused(() => decode(5n, { laoyut: 'js53' }), 'unknown option `laoyut`: options are `layout`')
  await refused(() => decode(5n, null), 'options must be an object, got `null`')
  await refused(() => decode(5n, 0), 'options must be an object, got `0`')
  assert.equal((await refusal(() => decode(5n, 'twitter'))).code, 'LAYOUT_INVALID')
})

test('an unknown option is refused, and those that there are are named', async () => {
  for (const name of ['url', 'stroe', 'layout', 'timeoutMs', 'toString']) {
    await refused(() => new Segment('orders', { [name]: 1 }), `unknown option \`${name}\`: options are ${SEGMENT}`)
  }
  for (const name of ['laoyut', 'step', 'timeoutMs', 'length_ms']) {
    await refused(() => new Snowflake('default', { store, [name]: 'edge' }), `unknown option \`${name}\`: options are ${SNOWFLAKE}`)
  }
  await refused(() => httpStore(URL_TEXT, { tokne: 'x' }), 'unknown option `tokne`: options are `token`, `headers`, `fetch`')
  await refused(() => memoryStore({ createonuse: false }), 'unknown option `createonuse`: options are `clock`, `id`, `createOnUse`')
  await refused(
    () => memoryStore().createNamespace('eu', { laoyut: 'edge' }),
    'unknown field `laoyut`: fields are `layout`, `workers`, `max_window_ms`',
  )
  const step = 'unknown field `maxStep`: fields are '
  await refused(() => memoryStore().createTag('orders', { maxStep: 10 }), `${step}\`from\`, \`step\`, \`max_step\`, \`until\``)
  await refused(() => tag_row({ tag: 'orders', maxStep: 10 }), `${step}\`tag\`, \`from\`, \`step\`, \`max_step\`, \`until\``)
  await refused(
    () => namespace_row({ layout: 'leaf', wokers: { start: 0, end: 1 } }),
    'unknown field `wokers`: fields are `namespace`, `layout`, `workers`, `max_window_ms`',
  )
  await refused(
    () => new Layout({ ...Layout.edge.toJSON(), epochMs: 5 }),
    'unknown field `epochMs`: fields are `epoch_ms`, `tick_ms`, `time_bits`, `worker_bits`, `sequence_bits`',
  )
})

test('options that are no object: what they were, and what was meant', async () => {
  const meant = (name) => `: did you mean \`{ ${name}: … }\`?`
  await refused(() => new Segment('orders', URL_TEXT), `options must be an object, got \`'${URL_TEXT}'\`${meant('store')}`)
  await refused(() => new Segment('orders', new URL(URL_TEXT)), `options must be an object, got \`${URL_TEXT}/\`${meant('store')}`)
  await refused(() => new Segment('orders', null), 'options must be an object, got `null`')
  await refused(() => new Segment('orders', [store]), 'options must be an object, got `[MemoryStore {}]`')
  await refused(() => new Segment('orders', store), `options must be an object, got \`MemoryStore {}\`${meant('store')}`)
  await refused(() => new Snowflake('default', 'edge'), `options must be an object, got \`'edge'\`${meant('layout')}`)
  for (const act of [() => new Snowflake('default', Layout.edge), () => new Snowflake('default', httpStore(URL_TEXT))]) {
    assert.match((await refusal(act)).message, /^options must be an object, got `.*`: did you mean `\{ (layout|store): … \}`\?$/)
  }
  await refused(() => new Snowflake('default', null), 'options must be an object, got `null`')
  await refused(() => memoryStore(null), 'options must be an object, got `null`')
  await refused(() => httpStore(URL_TEXT, null), 'options must be an object, got `null`')
  await refused(() => httpStore(URL_TEXT, 'secret'), 'options must be an object, got a string: did you mean `{ token: … }`?')
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
  await refused(
    () => new Segment('orders', { store: 'http://me:hunter2@127.0.0.1:1' }),
    "the store's address must have no user or password, got `'http://***@127.0.0.1:1'`: pass a token as `httpStore(url, { token })`",
  )
  const began = performance.now()
  await refusal(() => new Segment('orders', { timeout: '://'.repeat(1e6) }))
  assert.ok(performance.now() - began < 5_000, 'a long text is read once')
  assert.match((await refusal(() => new Segment({ store: 'http://me:hunter2@h' }))).message, /'http:\/\/\*\*\*@h'/)
})

test('a clock is a function', async () => {
  for (const clock of [5, 'now', null, {}, Date]) {
    const fits = typeof clock === 'function'
    for (const make of [() => new Segment('orders', { store, clock }), () => new Snowflake('default', { store, clock }), () => memoryStore({ clock })]) {
      if (fits) make()
      else await refused(make, `\`clock\` must be a function, got \`${inspect(clock)}\``)
    }
  }
})

test('what `close` is given by whoever calls it back does no harm', async () => {
  for (const given of [null, 5, new Error('ended'), { release: true }]) {
    const ids = new Segment('orders', { store })
    await ids.next()
    await ids.close(given)
    assert.equal((await refusal(() => ids.next())).code, 'CLOSED')
  }
})

test('a name that is no text is shown, whatever it is', async () => {
  for (const name of [5, {}, Object.create(null), Symbol('orders')]) {
    for (const make of [() => new Segment(name, { store }), () => new Snowflake(name, { store })]) {
      const { code, message } = await refusal(make)
      assert.equal(code, 'REQUEST_INVALID')
      assert.match(message, /must be 1 to 128 letters, digits and `\._:-`, starting with a letter or digit, got `/)
    }
  }
})
