// The API besides drawing: abort signals, the failure hook, the iterator, both forms of `decode`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Layout, Segment, Snowflake, decode, memoryStore } from 'leafid'
import { decode as small } from 'leafid/decode'
import { root } from '../support/package.mjs'
import { ownStore, refusal, refuses, tagged, until } from '../support/stores.mjs'

/** A store that holds its answers until `open`. */
function gated() {
  let open
  const gate = new Promise((resolve) => (open = resolve))
  return { ...ownStore({ delay: () => gate }), open }
}

const reasonOf = (call) => call.then(() => assert.fail('it gave something'), (reason) => reason)

test('a signal ends the wait of its caller, and of nobody else', async () => {
  const store = gated()
  const ids = new Segment('orders', { store })
  const reason = new Error('the client hung up')
  for (const draw of [(o) => ids.next(o), (o) => ids.nextString(o), (o) => ids.nextNumber(o), (o) => ids.take(3, o), (o) => ids.ready(3, o)]) {
    const stop = new AbortController()
    const call = reasonOf(draw({ signal: stop.signal }))
    stop.abort(reason)
    assert.equal(await call, reason)
  }
  const out = new BigUint64Array(4)
  const stop = new AbortController()
  const filling = reasonOf(ids.fill(out, { signal: stop.signal }))
  const other = ids.next()
  stop.abort(reason)
  assert.equal(await filling, reason)
  assert.deepEqual([...out], [0n, 0n, 0n, 0n])
  store.open()
  assert.equal(await other, 1n, 'nothing was spent for those who left')
  assert.equal(store.asked.length, 1)
})

test('an aborted signal gives nothing, any other changes nothing', async () => {
  const ids = new Segment('orders', { store: memoryStore() })
  // A signal of an older library has no reason, and no `throwIfAborted`.
  const older = { aborted: true, addEventListener() {}, removeEventListener() {} }
  for (const signal of [AbortSignal.abort(), older]) assert.equal((await reasonOf(ids.next({ signal }))).name, 'AbortError')
  assert.deepEqual([await ids.next({ signal: new AbortController().signal }), await ids.next({})], [1n, 2n])
  assert.equal(await ids.nextString({}), '3')
})

test('many wait with one signal: all end with it, and nothing warns of a leak', async () => {
  const warned = []
  const note = ({ name }) => warned.push(name)
  process.on('warning', note)
  const stop = new AbortController()
  const ids = new Segment('orders', { store: gated() })
  const calls = Array.from({ length: 30 }, () => reasonOf(ids.next({ signal: stop.signal })))
  const other = reasonOf(ids.next({ signal: AbortSignal.timeout(1) }))
  assert.equal((await other).name, 'TimeoutError')
  stop.abort()
  stop.abort('again')
  assert.deepEqual(new Set(await Promise.all(calls)), new Set([stop.signal.reason]))
  // Warnings come in the next turn.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  assert.deepEqual(warned, [])
})

test('what is no signal is refused', async () => {
  const ids = new Segment('orders', { store: memoryStore() })
  for (const [wrong, message] of [
    [{ singal: 1 }, /^unknown option `singal`: options are `signal`$/],
    [{ signal: 5 }, /^`signal` must be an AbortSignal, got `5`$/],
    [AbortSignal.timeout(5), /did you mean `\{ signal: … \}`\?$/],
    [null, /^options must be an object, got `null`$/],
  ]) {
    for (const draw of [() => ids.next(wrong), () => ids.take(1, wrong), () => ids.fill(new BigUint64Array(0), wrong)]) {
      const { code, message: got } = await refusal(draw)
      assert.equal(code, 'REQUEST_INVALID')
      assert.match(got, message)
    }
  }
  assert.equal(await ids.next(), 1n)
})

test('`onError` hears of each failure; what it throws is lost', async () => {
  const told = []
  const rows = tagged(10)
  let fails = true
  const store = ownStore({
    rows,
    change: (_, answer) => {
      if (fails) throw new Error('down')
      return answer
    },
  })
  const onError = (error) => {
    told.push(error.code)
    throw new Error('a bad hook')
  }
  const ids = new Segment('orders', { store, onError })
  setTimeout(() => (fails = false), 20)
  await ids.next()
  assert.ok(told.length >= 1 && told.every((code) => code === 'STORE_UNAVAILABLE'), `${told}`)
  fails = true
  const before = told.length
  await ids.take(4)
  await until(() => told.length > before)
  assert.equal(ids.nextSync() > 0n, true)
  await refuses(() => new Segment('orders', { store, onError: 'log' }), 'REQUEST_INVALID', /^`onError` must be a function, got `'log'`$/)
})

test('IDs come one after another in a loop', async () => {
  const ids = new Segment('orders', { store: memoryStore() })
  const seen = []
  for await (const id of ids) if (seen.push(id) === 2_500) break
  assert.deepEqual([seen[0], seen.at(-1)], [1n, 2_500n])
  assert.ok(seen.every((id, at) => at === 0 || id > seen[at - 1]))
  assert.ok((await ids.next()) > 2_500n)
})

test('`leafid/decode` reads what `decode` reads, in 500 bytes', async () => {
  const ids = ['leaf', 'edge', 'long', 'js53'].flatMap((name) => {
    const layout = new Layout(name)
    const last = Number(layout.workers) - 1
    return [
      [name, layout.compose(layout.epochMs, 0, 0)],
      [name, layout.compose(1_800_000_000_000, last, 2n ** BigInt(layout.sequenceBits) - 1n)],
      [name, layout.compose(layout.lastMs, last, 1)],
    ]
  })
  ids.push(['leaf', await new Snowflake('default', { store: memoryStore() }).next()])
  for (const [name, id] of ids) {
    const { time, worker, sequence } = decode(id, name)
    assert.deepEqual(small(id, name), { time, worker, sequence: Number(sequence) }, `${name} ${id}`)
    assert.deepEqual(small(id.toString(), name), small(id, name))
  }
  assert.deepEqual(small(2124058566972174397n), small('2124058566972174397', 'leaf'))
  const source = readFileSync(join(root, 'node/decode.js'), 'utf8')
  assert.ok(!source.includes('import'), 'it needs nothing else')
  const bare = source.replace(/\/\*\*[^]*?\*\/|^\s+/gm, '')
  assert.ok(gzipSync(bare).length <= 500, `${gzipSync(bare).length} bytes`)
})

test('a layout may be passed to `decode` as it is', () => {
  const { tick, worker, sequence } = decode(97583759569410n, { layout: 'js53' })
  const fields = Layout.js53.toJSON()
  for (const layout of ['js53', Layout.js53, fields, { layout: Layout.js53 }, { layout: fields }]) {
    const parts = decode(97583759569410n, layout)
    assert.deepEqual([parts.tick, parts.worker, parts.sequence], [tick, worker, sequence], JSON.stringify(layout))
  }
  assert.notEqual(decode(97583759569410n).tick, tick, 'the control: `leaf` reads it otherwise')
  assert.deepEqual(decode(97583759569410n, { layout: undefined }), decode(97583759569410n, 'leaf'))
  const parts = decode('7222222222222222222')
  for (const time of [parts.time, parts.timeMs, Number(parts.timeMs)]) {
    for (const number of [parts.sequence, Number(parts.sequence)]) assert.equal(Layout.leaf.compose(time, parts.worker, number), 7222222222222222222n)
  }
})

test('`decode` takes exact numbers, and says what else it takes', async () => {
  assert.deepEqual(decode(97583759569410, 'js53'), decode('97583759569410', 'js53'))
  assert.deepEqual(decode(Number.MAX_SAFE_INTEGER, 'js53'), decode(2n ** 53n - 1n, 'js53'))
  for (const wrong of [2 ** 53, 1.5, -1, Number.NaN, null, undefined, {}]) {
    await refuses(() => decode(wrong, 'js53'), 'ID_INVALID', /^an ID must be a bigint from 0 to 2\^63 - 1, its decimal string, or a whole number below 2\^53, got `/)
  }
})

test('what `close` is given by whoever calls it back does no harm', async () => {
  for (const given of [null, 5, new Error('ended'), { release: true }]) {
    const ids = new Segment('orders', { store: memoryStore() })
    await ids.next()
    await ids.close(given)
    assert.equal((await refusal(() => ids.next())).code, 'CLOSED')
  }
})
