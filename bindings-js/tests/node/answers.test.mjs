// The HTTP store: requests, invalid answers, and overlapping ranges. In-process stores: `misdeeds.test.mjs`.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Segment, Snowflake, httpStore, memoryStore } from 'leafid'
import { httpServer, ownStore, refusal, refuses, tagged, timedOut, until, wire } from '../support/stores.mjs'

const TIMEOUT = 150

test('a range that overlaps an earlier one is not used', async () => {
  let granted
  const rows = tagged(10)
  // From the second answer on: the first range again, with the right request id.
  const change = (_, answer) => (granted === undefined ? (granted = answer) : { ...granted, request: answer.request })
  const orders = new Segment('orders', { store: ownStore({ rows, change }), timeout: TIMEOUT })
  const seen = []
  const error = await refusal(async () => {
    for (;;) seen.push(await orders.next())
  })
  assert.equal(error.code, 'TIMED_OUT')
  assert.equal(error.cause.code, 'GRANT_INVALID')
  assert.deepEqual(seen, [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n])
})

const HTML = { headers: { 'content-type': 'text/html' }, body: '<html><body>welcome</body></html>' }
const overHttp = {
  'HTML with 200': [() => HTML, 'GRANT_INVALID'],
  'an empty body': [() => ({ body: '' }), 'GRANT_INVALID'],
  'a JSON list': [() => ({ body: '[]' }), 'GRANT_INVALID'],
  'JSON cut short': [() => ({ body: '{"request":' }), 'GRANT_INVALID'],
  '404 without a code': [() => ({ status: 404, ...HTML }), 'GRANT_INVALID'],
  '500 without a code': [() => ({ status: 500, ...HTML }), 'STORE_UNAVAILABLE'],
  '503 with a code': [() => ({ status: 503, body: '{"code":"OVERLOADED","detail":"too much","retry_after_ms":50}' }), 'OVERLOADED'],
  'a code that no store has': [() => ({ status: 500, body: '{"code":"CLOSED"}' }), 'STORE_UNAVAILABLE'],
  'a redirect': [() => ({ status: 302, headers: { location: '/elsewhere' }, body: '' }), 'GRANT_INVALID'],
  '429 without a code': [() => ({ status: 429, ...HTML }), 'QUOTA_EXCEEDED'],
  'a cut connection': [() => undefined, 'STORE_UNAVAILABLE'],
  'a field twice': [({ body }) => ({ body: twice(body, '"end"') }), 'GRANT_INVALID'],
  'a field twice, once in other letters': [({ body }) => ({ body: twice(body, '"\\u0065nd"') }), 'GRANT_INVALID'],
  'a problem whose code is there twice': [() => ({ status: 500, body: '{"code":"TAG_UNKNOWN","code":"OVERLOADED"}' }), 'STORE_UNAVAILABLE'],
  'fields as JavaScript spells them': [({ body }) => ({ body: right(body).replace('max_step', 'maxStep') }), 'GRANT_INVALID'],
  'IDs as numbers': [({ body }) => ({ body: JSON.stringify(wrongly(JSON.parse(body))) }), 'GRANT_INVALID'],
}

function wrongly({ request }) {
  const store = '5a'.repeat(16)
  return { request, store, tag: 'orders', start: 1, end: 100, step: 100, max_step: 100, remaining: '5', now_ms: 1 }
}

function right(body) {
  const { request } = JSON.parse(body)
  return JSON.stringify({ request, store: '5a'.repeat(16), tag: 'orders', start: '1', end: '9', step: 100, max_step: 100, remaining: '5', now_ms: 1 })
}

/** A right answer with its end a second time, spelt in these letters. */
function twice(body, end) {
  return right(body).replace('"start"', `${end} : "900","start"`)
}

test('over HTTP: what looks like a field twice and is none is used', async (t) => {
  const note = { end: '"end": {', list: [{ a: 1 }, { a: 2 }], deep: { end: 1 }, 'a"': '\\' }
  const right = wire(memoryStore())
  const server = await httpServer(t, (request) => ({ body: JSON.stringify({ note, ...JSON.parse(right(request).body) }) }))
  assert.equal(await new Segment('orders', { store: server.url }).next(), 1n)
})

describe('over HTTP', { concurrency: true }, () => {
  for (const [what, [answer, code]] of Object.entries(overHttp)) {
    test(what, async (t) => {
      let broken = true
      const right = wire(memoryStore())
      const server = await httpServer(t, (request) => (broken ? answer(request) : right(request)))
      const orders = new Segment('orders', { store: server.url, timeout: TIMEOUT })
      await timedOut(() => orders.next(), code)
      broken = false
      let id
      await until(() => orders.next().then((got) => (id = got), () => false))
      // An answer that took three seconds was asked for again, and is lost.
      assert.equal(id % 1_000n, 1n)
    })
  }
})

const DETAIL = 'tag `orders` does not exist: check its spelling, or create it with `leafid tag create orders`'
const PROBLEM = { headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify({ code: 'TAG_UNKNOWN', detail: DETAIL }) }
const atOnce = [[404, PROBLEM, 'TAG_UNKNOWN', DETAIL], [401, HTML, 'UNAUTHORIZED', /answered 401 without a code/], [403, HTML, 'FORBIDDEN', /answered 403 without a code/]]

for (const [status, answer, code, words] of atOnce) {
  test(`over HTTP: ${code}, which waiting cannot cure, comes at once`, async (t) => {
    const server = await httpServer(t, () => ({ status, ...answer }))
    const began = Date.now()
    await refuses(() => new Segment('orders', { store: server.url, timeout: 60_000 }).next(), code, words)
    assert.ok(Date.now() - began < 30_000)
  })
}

test('over HTTP: what is sent', async (t) => {
  const server = await httpServer(t, wire(memoryStore()))
  const store = httpStore(`${server.url}/`, { token: 'secret' })
  const ids = new Snowflake('default', { store, layout: 'leaf', lengthMs: 5_000, owner: 'me/1', sticky: true, strict: true })
  await ids.next()
  await ids.close()
  const orders = new Segment('a.b_c:d-e', { store, step: 7 })
  await orders.next()
  // On a busy machine an ask may be sent again, or a window renewed, before the next.
  const [acquire, release, lease] = ['acquire', 'release', 'lease'].map((verb) => server.seen.find(({ url }) => url.endsWith(`/${verb}`)))
  assert.deepEqual([acquire.method, acquire.url, acquire.headers.authorization], ['POST', '/v1/workers/default/acquire', 'Bearer secret'])
  assert.equal(acquire.headers['content-type'], 'application/json')
  const { request, ...sent } = JSON.parse(acquire.body)
  assert.match(request, /^[0-9a-f]{32}$/)
  const layout = { epoch_ms: 1288834974657, tick_ms: 1, time_bits: 41, worker_bits: 10, sequence_bits: 12 }
  assert.deepEqual(sent, { owner: 'me/1', layout, length_ms: 5_000, sticky: true, strict: true })
  assert.equal(release.url, '/v1/workers/default/release')
  assert.equal(typeof JSON.parse(release.body).unused_from, 'string')
  assert.equal(lease.url, '/v1/segments/a.b_c%3Ad-e/lease')
  assert.equal(JSON.parse(lease.body).step, 7)
})
