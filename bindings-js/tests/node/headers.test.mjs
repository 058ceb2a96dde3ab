// The store over HTTP with headers and a `fetch` of one's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, httpStore, memoryStore } from 'leafid'
import { httpServer, refusal, wire } from '../support/stores.mjs'

async function served(t) {
  const server = await httpServer(t, wire(memoryStore()))
  return server
}

test('headers go with every request, beside leafid’s own', async (t) => {
  const server = await served(t)
  const store = httpStore(server.url, { token: 'secret', headers: { 'x-team': 'orders', Cookie: 'a=b' } })
  await new Segment('orders', { store }).next()
  const { headers } = server.seen[0]
  assert.deepEqual(
    [headers['x-team'], headers.cookie, headers.authorization, headers['content-type']],
    ['orders', 'a=b', 'Bearer secret', 'application/json'],
  )
})

test('a function gives them for each request', async (t) => {
  const server = await served(t)
  let turn = 0
  const store = httpStore(server.url, { headers: async () => ({ authorization: `Bearer ${++turn}` }) })
  for (let n = 0; n < 3; n++) await new Segment(`orders${n}`, { store }).next()
  assert.deepEqual(server.seen.map(({ headers }) => headers.authorization), ['Bearer 1', 'Bearer 2', 'Bearer 3'])
})

test('a `fetch` of one’s own sends the requests', async () => {
  const rows = wire(memoryStore())
  const seen = []
  const fetch = async (url, { method, headers, body, signal }) => {
    seen.push([method, url, headers['content-type'], signal instanceof AbortSignal])
    const { status = 200, body: text } = rows({ url: new URL(url).pathname, body })
    return new Response(text, { status })
  }
  assert.equal(await new Segment('orders', { store: httpStore('https://ids.internal', { fetch }) }).next(), 1n)
  assert.deepEqual(seen, [['POST', 'https://ids.internal/v1/segments/orders/lease', 'application/json', true]])
})

test('what cannot be sent is refused, and no message shows a value', async () => {
  const wrong = [
    { headers: { 'content-type': 'secret' } },
    { token: 'secret', headers: { Authorization: 'secret' } },
    { headers: { 'x y': 'secret' } },
    { headers: { x: 'secret\nsecret' } },
    { headers: { x: undefined } },
    { headers: 'secret' },
    { headers: new Headers({ x: 'secret' }) },
    { fetch: 'secret' },
    { agent: 'secret' },
  ]
  for (const options of wrong) {
    const { code, message, cause } = await refusal(() => httpStore('http://127.0.0.1:1', options))
    assert.equal(code, 'REQUEST_INVALID')
    assert.ok(options.fetch !== undefined || !message.includes('secret'), message)
    assert.equal(cause, undefined)
  }
  const later = httpStore('http://127.0.0.1:1', { headers: () => ({ accept: 'text/html' }) })
  assert.equal((await refusal(() => new Segment('orders', { store: later }).next())).code, 'REQUEST_INVALID')
})
