// Bad arguments: a clear error with its code, and nothing broken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, decode, fromBase32, fromDecimal, httpStore, memoryStore, toBase32 } from 'leafid'
import { refusal } from '../support/stores.mjs'

const store = memoryStore()

test('tags and namespaces of strange characters', async () => {
  for (const tag of ['', '.x', 'a b', 'a/b', 'ä', 'x'.repeat(129), 'a\n', 5, null, undefined, {}]) {
    const error = await refusal(() => new Segment(tag, { store }))
    assert.ok(['TAG_INVALID', 'REQUEST_INVALID'].includes(error.code), `${String(tag)}: ${error.code}`)
    if (typeof tag === 'string') assert.equal(error.code, 'TAG_INVALID')
  }
  assert.equal((await refusal(() => new Snowflake('a b', { store }))).code, 'NAMESPACE_INVALID')
})

test('options that cannot be', async () => {
  const cases = [
    [() => new Segment('a', { store, step: 0 }), 'STEP_INVALID'],
    [() => new Segment('a', { store, step: -1 }), 'REQUEST_INVALID'],
    [() => new Segment('a', { store, step: 1.5 }), 'REQUEST_INVALID'],
    [() => new Segment('a', { store, timeout: -1 }), 'REQUEST_INVALID'],
    [() => new Segment('a', { store, timeout: '5' }), 'REQUEST_INVALID'],
    [() => new Segment('a', { store: 'leaf.db' }), 'REQUEST_INVALID'],
    [() => new Segment('a', { store: 'ftp://127.0.0.1' }), 'REQUEST_INVALID'],
    [() => new Segment('a', { store: {} }), 'REQUEST_INVALID'],
    [() => new Snowflake('a', { store: { acquire() {} } }), 'REQUEST_INVALID'],
    [() => new Snowflake('a', { store, layout: 'twitter' }), 'LAYOUT_INVALID'],
    [() => new Snowflake('a', { store, owner: '' }), 'REQUEST_INVALID'],
    [() => new Snowflake('a', { store, worker: 0 }), 'WORKER_INVALID'],
    [() => new Snowflake('a', { store, workers: [0, 8] }), 'WORKER_INVALID'],
    [() => httpStore('http://127.0.0.1/?x=1'), 'REQUEST_INVALID'],
    [() => new Layout({ epoch_ms: 0, tick_ms: 1, time_bits: 41, worker_bits: 10, sequence_bits: 13 }), 'LAYOUT_INVALID'],
    [() => new Layout({ epoch_ms: 0, tick_ms: 1, time_bits: 41 }), 'REQUEST_INVALID'],
    [() => Layout.leaf.compose(Date.now(), 1024, 0), 'WORKER_INVALID'],
    [() => Layout.leaf.compose(Date.now(), -1, 0), 'WORKER_INVALID'],
    [() => Layout.leaf.compose(Date.now(), 0, 4096), 'RANGE_INVALID'],
    [() => Layout.leaf.compose(new Date(Number.NaN), 0, 0), 'TIME_OVERFLOW'],
    [() => Layout.leaf.compose(0, 0, 0), 'TIME_OVERFLOW'],
    [() => decode(-1n), 'ID_INVALID'],
    [() => decode(2n ** 63n), 'ID_INVALID'],
    [() => decode(2n ** 64n + 1n), 'ID_INVALID'],
    [() => decode(1.5), 'ID_INVALID'],
    [() => decode(-1), 'ID_INVALID'],
    [() => decode(2 ** 53), 'ID_INVALID'],
    [() => decode(null), 'ID_INVALID'],
    [() => decode('05'), 'ID_INVALID'],
    [() => toBase32(2n ** 64n), 'ID_INVALID'],
    [() => fromBase32('0'), 'ID_INVALID'],
    [() => fromBase32(undefined), 'ID_INVALID'],
    [() => fromDecimal('1e3'), 'ID_INVALID'],
  ]
  for (const [act, code] of cases) {
    const error = await refusal(act)
    assert.equal(error.code, code, `${act}: ${error.message}`)
    assert.match(error.message, /^[^A-Z].*[^.]$/, 'lower case, no full stop')
  }
})

test('the message of WORKER_INVALID shows the right line', async () => {
  const { message } = await refusal(() => new Snowflake('default', { store, worker: 7 }))
  assert.match(message, /new Snowflake\('default', \{ store: 'http:\/\/127\.0\.0\.1:8750' \}\)/)
})

test('no store at all: said at the first ID, with what to do', async () => {
  assert.equal(process.env.LEAFID_STORE, undefined)
  const orders = new Segment('orders')
  const error = await refusal(() => orders.next())
  assert.equal(error.code, 'REQUEST_INVALID')
  assert.match(error.message, /LEAFID_STORE/)
})

test('decode and the text forms', () => {
  const id = 7222222222222222222n
  assert.equal(toBase32(id), '68EKWV2E7SRWE')
  assert.equal(fromBase32('68EKWV2E7SRWE'), id)
  assert.equal(fromDecimal('7222222222222222222'), id)
  const { time, timeMs, worker, sequence, tick } = decode('7222222222222222222')
  assert.equal(Layout.leaf.compose(time, worker, sequence), id)
  assert.equal(Layout.leaf.compose(timeMs, worker, Number(sequence)), id)
  assert.equal(BigInt(Layout.leaf.epochMs) + tick, timeMs)
  assert.ok(Layout.leaf.firstId(time) <= id && id <= Layout.leaf.lastId(time))
  const own = new Layout({ epoch_ms: 1735689600000, tick_ms: 1000, time_bits: 31, worker_bits: 20, sequence_bits: 12 })
  assert.equal(own.perSecond, 4096n)
  assert.deepEqual(decode(own.compose(1800000000000, 77, 5), { layout: own }).worker, 77)
})
