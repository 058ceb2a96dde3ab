// Errors of bad arguments: a code, and a message with the fault, the value, and what would be right.
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, decode, fromBase32, fromDecimal, httpStore, memoryStore, toBase32 } from 'leafid'
import { acquire, leaseSegment, namespaceRow, release, tagRow } from 'leafid/registry'
import { refusal, refuses } from '../support/stores.mjs'

const store = memoryStore()
const segment = (options) => () => new Segment('orders', { store, ...options })
const snowflake = (options) => () => new Snowflake('eu', { store, ...options })
const STORE = '5a'.repeat(16)
const ASK = { tag: 'orders', request: '01'.repeat(16) }
const WINDOW = { namespace: 'eu', request: ASK.request, owner: 'me' }
const ROW = { maxId: 1n, step: 10, maxStep: 10 }
const URL_TEXT = 'http://127.0.0.1:8750'

const name = '1 to 128 letters, digits and `._:-`, starting with a letter or digit'
const u32 = 'a whole number from 0 to 4294967295'
const meant = (option) => `: did you mean \`{ ${option}: … }\`?`

const CASES = {
  STEP_INVALID: [
    [segment({ step: 0 }), '`step` must be a whole number from 1 to 2147483647, got `0`'],
    [segment({ maxStep: 0 }), '`maxStep` must be a whole number from 1 to 2147483647, got `0`'],
    [segment({ step: 6, maxStep: 5 }), '`step` must be a whole number from 1 to `maxStep`, which is `5`, got `6`'],
    [() => tagRow({ step: 20, maxStep: 10 }), '`step` must be 1 to `maxStep`, and `maxStep` at most 2147483647, got `{step: 20, maxStep: 10}`'],
  ],
  REQUEST_INVALID: [
    [() => namespaceRow({ workers: { start: 0, end: 1 } }), /`layout`/],
    ...[undefined, null, Number.NaN, Infinity, '5', 5n, {}].map((now) => [() => leaseSegment(STORE, ROW, ASK, now), /^`nowMs` must be a number of ms since 1970, as `Date\.now\(\)` gives it, got `/]),
    ...[undefined, 5, {}, 'x'].map((id) => [() => leaseSegment(id, ROW, ASK, 0), /^the store's id must be 32 lower-case hex digits, got `/]),
    [segment({ step: '5' }), "`step` must be a whole number from 1 to 2147483647, got `'5'`"],
    [segment({ maxStep: '5' }), "`maxStep` must be a whole number from 1 to 2147483647, got `'5'`"],
    [segment({ maxGrowth: 1.5 }), `\`maxGrowth\` must be ${u32}, got \`1.5\``],
    [segment({ timeout: -1 }), '`timeout` must be a number of ms, 0 or more, got `-1`'],
    [snowflake({ lengthMs: -5 }), `\`lengthMs\` must be ${u32}, got \`-5\``],
    [snowflake({ maxAheadMs: 2 ** 32 }), `\`maxAheadMs\` must be ${u32}, got \`4294967296\``],
    [snowflake({ spread: true }), `\`spread\` must be ${u32}, got \`true\``],
    [snowflake({ owner: '' }), "`owner` must be 1 to 128 bytes without control characters, got `''`"],
    [() => new Segment(undefined, { store }), `there is no \`tag\`: it must be ${name}`],
    [() => new Segment('a', { store: {} }), 'the store `{}` has no method `leaseSegment`: it needs `leaseSegment`'],
    [() => new Snowflake('a', { store: { acquire() {}, renew() {} } }), 'the store `{acquire: function acquire, renew: function renew}` has no method `release`: it needs `acquire`, `renew` and `release`'],
    [() => new Segment('a', { store: 'leaf.db' }), "a store's address is like `http://127.0.0.1:8750`, `sqlite:PATH`, `postgres://…`, `mysql://…` or `memory:`, got `'leaf.db'`"],
    [() => httpStore(new URL('ftp://127.0.0.1/')), "the store's address must be like `http://127.0.0.1:8750`, got `ftp://127.0.0.1/`"],
    [() => segment()().fillSync(Buffer.alloc(8)), 'expected a BigUint64Array, got `Buffer(8)`: pass one, or use `take`'],
    [() => segment()().fillAvailable([1]), 'expected a BigUint64Array, got `[1]`: pass one, or use `take`'],
    [() => segment()().fill(undefined), 'expected a BigUint64Array, got `undefined`: pass one, or use `take`'],
    [() => new Layout({ epochMs: 0, tickMs: 1, timeBits: 41 }), /^`layout` must be .*, got `\{epochMs: 0, tickMs: 1, timeBits: 41\}`$/],
    [() => leaseSegment(STORE, { ...ROW, maxId: 1 }, ASK, 0), '`maxId` of the row must be a bigint or a decimal string, got `1`'],
    [() => leaseSegment(STORE, {}, ASK, 0), 'the row has no `maxId`: it must be a bigint or a decimal string'],
    [() => leaseSegment(STORE, ROW, { ...ASK, request: 'x' }, 0), "`request` of the ask must be 32 lower-case hex digits, got `'x'`"],
    [() => leaseSegment(STORE, 5, ASK, 0), 'the row must be an object with its fields, got `5`'],
    [() => acquire(STORE, { layout: 'leaf', maxWindowMs: 1e5 }, {}, { ...WINDOW, sticky: 1 }, 0), '`sticky` of the ask must be true or false, got `1`'],
    [() => release(STORE, { worker: 4 }, { namespace: 'eu', store: STORE, worker: 3, key: STORE, unusedFrom: 5n }), '`worker` of the row must be the worker number of the ask, `3`, got `4`'],
    ...[memoryStore(), httpStore(URL_TEXT), { leaseSegment: (ask) => leaseSegment(STORE, ROW, ask, 0) }].map((store) => [
      () => store.leaseSegment({ ...ASK, at_least: 5 }),
      'unknown field `at_least`: fields are `tag`, `request`, `store`, `step`, `atLeast`, `exactly`, `haveUntil`',
    ]),
    [() => store.acquire({ ...WINDOW, length_ms: 5 }), 'unknown field `length_ms`: fields are `namespace`, `request`, `store`, `owner`, `layout`, `lengthMs`, `sticky`, `strict`'],
    [() => httpStore('http://127.0.0.1/?x=1')],
    [() => new Segment('orders').next(), /LEAFID_STORE/],
    [() => decode(5n, { laoyut: 'js53' }), 'unknown option `laoyut`: options are `layout`'],
    [() => decode(5n, null), 'options must be an object, got `null`'],
    [() => httpStore(URL_TEXT, { tokne: 'x' }), 'unknown option `tokne`: options are `token`, `headers`, `fetch`'],
    [() => memoryStore({ createonuse: false }), 'unknown option `createonuse`: options are `clock`, `id`, `createOnUse`'],
    [() => tagRow({ tag: 'orders', max_step: 10 }), 'unknown field `max_step`: fields are `tag`, `from`, `step`, `maxStep`, `until`'],
    ...['max_step', 'stpe', 'untl'].map((field) => [() => memoryStore().createTag('orders', { [field]: 10 }), `unknown field \`${field}\`: fields are \`from\`, \`step\`, \`maxStep\`, \`until\``]),
    [() => memoryStore().createNamespace('eu', { max_window_ms: 10 }), 'unknown field `max_window_ms`: fields are `layout`, `workers`, `maxWindowMs`'],
    [() => namespaceRow({ layout: 'leaf', wokers: { start: 0, end: 1 } }), 'unknown field `wokers`: fields are `namespace`, `layout`, `workers`, `maxWindowMs`'],
    [() => new Layout({ ...Layout.edge.toJSON(), epoch_ms: 5 }), 'unknown field `epoch_ms`: fields are `epochMs`, `tickMs`, `timeBits`, `workerBits`, `sequenceBits`'],
    [() => new Segment('orders', URL_TEXT), `options must be an object, got \`'${URL_TEXT}'\`${meant('store')}`],
    [() => new Segment('orders', new URL(URL_TEXT)), `options must be an object, got \`${URL_TEXT}/\`${meant('store')}`],
    [() => new Segment('orders', [store]), 'options must be an object, got `[MemoryStore {}]`'],
    [() => new Segment('orders', store), `options must be an object, got \`MemoryStore {}\`${meant('store')}`],
    [() => new Snowflake('default', 'edge'), `options must be an object, got \`'edge'\`${meant('layout')}`],
    [() => new Snowflake('default', Layout.edge), /^options must be an object, got `.*`: did you mean `\{ layout: … \}`\?$/],
    [() => new Snowflake('default', httpStore(URL_TEXT)), /^options must be an object, got `.*`: did you mean `\{ store: … \}`\?$/],
    [() => httpStore(URL_TEXT, 'secret'), 'options must be an object, got a string: did you mean `{ token: … }`?'],
  ],
  LAYOUT_INVALID: [
    [snowflake({ layout: 'twitter' }), "`layout` must be `leaf`, `edge`, `long`, `js53` or the five fields of one, got `'twitter'`"],
    [() => new Layout({ epochMs: 0, tickMs: 1, timeBits: 41, workerBits: 10, sequenceBits: 13 }), /^the layout `\{epochMs: 0, .*` is not valid: use a preset, or widths of at most 63 bits together$/],
  ],
  TAG_INVALID: [
    [() => new Segment('a b', { store }), `\`tag\` must be ${name}, got \`'a b'\``],
    [() => new Segment('a\0b', { store }), `\`tag\` must be ${name}, got \`'a\\x00b'\``],
  ],
  NAMESPACE_INVALID: [
    [() => new Snowflake('', { store }), `\`namespace\` must be ${name}, got \`''\``],
  ],
  COUNT_INVALID: [
    ...[-1, 1.5, Number.NaN, 2 ** 31, 2 ** 40, '5', 5n, undefined].flatMap((n) =>
      ['take', 'takeSync', 'ready'].map((draw) => [() => segment()()[draw](n), `the count must be a whole number from 0 to 2147483647, got \`${inspect(n)}\``]),
    ),
  ],
  ID_INVALID: [
    [() => toBase32(5), 'an ID must be a bigint from 0 to 2^63 - 1, got `5`'],
    [() => toBase32(2n ** 63n), 'an ID must be a bigint from 0 to 2^63 - 1, got `9223372036854775808n`'],
    [() => fromDecimal('007'), "the decimal form of an ID must be digits without a leading zero, below 2^63, got `'007'`"],
    [() => fromBase32('x'), "the base32 form of an ID must be 13 characters as `toBase32` writes them, got `'x'`"],
    [() => decode(2n ** 60n, { layout: 'js53' }), '`1152921504606846976n` has more than the 53 bits of the layout: decode it with the layout that it was made with'],
  ],
  WORKER_INVALID: [
    [() => Layout.leaf.compose(Date.now(), 1024, 0), 'the worker number must be 0 to 1023 in this layout, got `1024`'],
    [() => namespaceRow({ layout: 'leaf', workers: { start: 5, end: 5 } }), '`workers` must be `{ start, end }` inside the layout, got `{start: 5, end: 5}`'],
    [() => memoryStore().revoke('default', 5000), 'the worker number must be 0 to 1023, got `5000`'],
    [() => new Snowflake('default', { store, worker: 7 }), /new Snowflake\('default', \{ store: 'http:\/\/127\.0\.0\.1:8750' \}\)/],
    [snowflake({ workers: [0, 8] })],
  ],
  RANGE_INVALID: [
    [() => Layout.leaf.compose(Date.now(), 0, 4096), 'the sequence must be 0 to 4095 in this layout, got `4096`'],
    [() => acquire(STORE, { layout: 'leaf', maxWindowMs: 1e9 }, {}, WINDOW, 0), '`maxWindowMs` must be 1000 to 86400000, got `1000000000`'],
    [() => tagRow({ from: 0n }), '`from` must be 1 to 2^63 - 1, got `0n`'],
  ],
  TIME_OVERFLOW: [
    [() => Layout.leaf.firstId(0), 'the time must be 2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z in this layout, got `0`'],
    [() => Layout.leaf.firstId(new Date(Number.NaN)), 'the time must be a Date or ms since 1970, got `Invalid Date`'],
  ],
  TAG_UNKNOWN: [
    [() => leaseSegment(STORE, { ...ROW, deleted: true }, ASK, 0), 'tag `orders` does not exist: check its spelling, or create it with `leafid tag create orders`'],
    [() => memoryStore({ createOnUse: false }).leaseSegment(ASK), "tag `orders` does not exist: create it with `createTag('orders')`"],
  ],
  TAG_EXISTS: [
    [() => tagRow({}, ROW), 'the new tag exists already: use the existing tag, or another name'],
  ],
  NAMESPACE_UNKNOWN: [
    [() => memoryStore().revoke('eu', 0), "namespace `eu` does not exist: create it with `createNamespace('eu')`"],
  ],
}

for (const [code, cases] of Object.entries(CASES)) {
  test(`${code}: which value, and what would be right`, async () => {
    for (const [act, words] of cases) {
      const { message } = await refuses(act, code, words)
      assert.match(message, /^[^A-Z].*[^.]$/, 'lower case, no full stop')
    }
  })
}

test('an unknown option is refused, and those that there are are named', async () => {
  const both = ['`store`', '`timeout`', '`onError`', '`clock`']
  const known = [
    [Segment, ['url', 'stroe', 'layout', 'timeoutMs', 'max_step', 'toString'], [...both, '`step`', '`maxStep`', '`maxGrowth`']],
    [Snowflake, ['laoyut', 'step', 'timeoutMs', 'length_ms'], [...both, '`layout`', '`owner`', '`sticky`', '`strict`', '`lengthMs`', '`maxAheadMs`', '`spread`', '`state`']],
  ]
  for (const [Kind, wrong, options] of known) {
    for (const option of wrong) await refuses(() => new Kind('orders', { store, [option]: 1 }), 'REQUEST_INVALID', `unknown option \`${option}\`: options are ${options.join(', ')}`)
  }
  for (const clock of [5, 'now', null, {}]) {
    for (const make of [() => new Segment('orders', { store, clock }), () => new Snowflake('default', { store, clock }), () => memoryStore({ clock })]) {
      await refuses(make, 'REQUEST_INVALID', `\`clock\` must be a function, got \`${inspect(clock)}\``)
    }
  }
})

test('names of tags and namespaces that are none', async () => {
  await refuses(() => new Segment(null, { store }), 'REQUEST_INVALID')
  for (const wrong of [5, {}, Object.create(null), Symbol('orders')]) {
    for (const Kind of [Segment, Snowflake]) await refuses(() => new Kind(wrong, { store }), 'REQUEST_INVALID', /must be 1 to 128 letters, digits and `\._:-`, starting with a letter or digit, got `/)
  }
})

test('no message has a character that a terminal would not show', async () => {
  const nasty = 'a\0b\x1b[31m\n'
  for (const act of [() => new Segment(nasty, { store }), segment({ store: nasty }), segment({ timeout: nasty }), () => fromDecimal(nasty)]) {
    assert.doesNotMatch((await refusal(act)).message, /\p{Cc}/u)
  }
})

test('whatever is passed, its message can be written', async () => {
  const loop = {}
  loop.self = loop
  const strange = [loop, Object.create(null), Symbol('x'), () => 5, { toString: 5 }, new Proxy({}, { get: () => { throw new Error('no') } }), [[[]]], 'x'.repeat(1e6)]
  for (const value of strange) {
    for (const act of [() => segment()().takeSync(value), segment({ timeout: value }), segment({ step: value })]) {
      const { message } = await refusal(act)
      assert.ok(message.length < 400, message)
    }
  }
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
