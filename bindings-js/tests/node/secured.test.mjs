// The HTTP store's tokens and TLS, from both sides; custom headers and a custom `fetch`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { Segment, Snowflake, httpStore, memoryStore } from 'leafid'
import { scratch } from '../support/ends.mjs'
import { leafid, serve } from '../support/store.mjs'
import { afterFailure, httpServer, refusal, refuses, wire } from '../support/stores.mjs'

/** Committed certificates (authority of their own, `localhost`, until 2124): not every machine can make them. */
const pem = (name) => join(import.meta.dirname, '../support/tls', `${name}.pem`)

/** A store with the tag `orders`; the principal of `token` may use it, that of `other` may not. */
let store
before(async () => {
  const folder = scratch()
  const [place, tokens] = [`sqlite:${join(folder, 'leafid.db')}`, join(folder, 'tokens.toml')]
  leafid('init', '--store', place)
  leafid('tag', 'create', 'orders', '--store', place)
  const create = (principal, ...words) => leafid('token', 'create', principal, '--tokens', tokens, ...words).trim()
  const [token, other] = [create('app'), create('other', '--tag', 'other', '--namespace', 'other')]
  const { url } = await serve(['--store', place, '--tokens', tokens, '--tls-cert', pem('cert'), '--tls-key', pem('key')])
  store = { url, token, other, ca: pem('ca') }
})

/** A `fetch` over Node's own HTTP client, which takes certificate authorities. */
const over = (tls) => (url, { method, headers, body, signal }) =>
  new Promise((done, failed) => {
    const sent = request(url, { method, headers, signal, ...tls }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => done(new Response(Buffer.concat(parts), { status: answer.statusCode, headers: { 'retry-after': answer.headers['retry-after'] ?? '' } })))
      answer.on('error', failed)
    })
    sent.on('error', failed)
    sent.end(body)
  })

test('a token, and a `fetch` that believes an authority of one’s own', async () => {
  const fetch = over({ ca: readFileSync(store.ca) })
  const good = httpStore(store.url, { token: store.token, fetch })
  assert.equal((await new Segment('orders', { store: good }).take(3)).length, 3)
  assert.equal(typeof (await new Snowflake('default', { store: good }).next()), 'bigint')
  for (const [token, code] of [['leafid_wrong', 'UNAUTHORIZED'], [undefined, 'UNAUTHORIZED'], [store.other, 'FORBIDDEN']]) {
    const refused = httpStore(store.url, { token, fetch })
    for (const ids of [new Segment('orders', { store: refused, timeout: 60_000 }), new Snowflake('default', { store: refused, timeout: 60_000 })]) {
      const begun = Date.now()
      const error = await refuses(() => ids.next(), code)
      assert.ok(Date.now() - begun < 30_000 && !error.message.includes('leafid_'), error.message)
    }
  }
})

test('the environment has a token and, in Node, authorities', async () => {
  const program = `
    import { Segment } from 'leafid'
    const ids = new Segment('orders', { timeout: 1_000 })
    let told
    // On a busy machine the first answer may come too late for the waiting call.
    do told = await ids.next().then(String, (error) => error.code + ' ' + (error.cause?.message ?? ''))
    while (told.startsWith('TIMED_OUT') && !told.includes('not trusted'))
    console.log(told)
  `
  const said = async (env) => {
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, LEAFID_STORE: store.url, ...env }, timeout: 300_000 })
    return (await run).stdout.trim()
  }
  const NODE_EXTRA_CA_CERTS = store.ca
  assert.match(await said({ LEAFID_TOKEN: store.token, NODE_EXTRA_CA_CERTS }), /^[0-9]+$/)
  assert.match(await said({ LEAFID_TOKEN: '', NODE_EXTRA_CA_CERTS }), /^UNAUTHORIZED/)
  // Not trusted: nothing is sent, and the trust may be repaired during the wait.
  assert.match(await said({ LEAFID_TOKEN: store.token, NODE_EXTRA_CA_CERTS: '' }), /^TIMED_OUT .*is not trusted \([A-Z_]+\): start Node with NODE_EXTRA_CA_CERTS=FILE/)
})

test('a certificate for another name', async () => {
  const fetch = over({ ca: readFileSync(store.ca), servername: 'ids.example' })
  const orders = new Segment('orders', { store: httpStore(store.url, { token: store.token, fetch }) })
  await afterFailure(orders, () => orders.nextSync(), /the certificate of `https:.*` is for other names \([A-Z_]+\): use a host name that it has$/)
})

test('the variable’s token gives way to any that is given', async (t) => {
  const server = await httpServer(t, wire(memoryStore()))
  t.after(() => delete process.env.LEAFID_TOKEN)
  process.env.LEAFID_TOKEN = 'usual'
  const options = [{}, { token: 'own' }, { headers: { Authorization: 'Basic x' } }, { headers: () => ({ authorization: 'Bearer y' }) }]
  for (const [n, given] of options.entries()) await new Segment(`orders${n}`, { store: httpStore(server.url, given) }).next()
  assert.deepEqual(server.seen.map(({ headers }) => headers.authorization), ['Bearer usual', 'Bearer own', 'Basic x', 'Bearer y'])
  process.env.LEAFID_TOKEN = 'two words'
  const { code, message } = await refusal(() => httpStore(server.url))
  assert.ok(code === 'REQUEST_INVALID' && message.startsWith('LEAFID_TOKEN ') && !message.includes('two words'), message)
})

test('headers, also of a function, and a `fetch` of one’s own', async () => {
  const rows = wire(memoryStore())
  const seen = []
  const fetch = async (url, { method, headers, body, signal }) => {
    seen.push([method, url, headers['content-type'], headers['x-turn'], headers.Cookie, headers.authorization, signal instanceof AbortSignal])
    const { status = 200, body: text } = rows({ url: new URL(url).pathname, body })
    return new Response(text, { status })
  }
  let turn = 0
  for (const headers of [{ 'x-turn': '0', Cookie: 'a=b' }, async () => ({ 'x-turn': `${(turn += 1)}` })]) {
    const store = httpStore('https://ids.internal', { token: 'secret', headers, fetch })
    for (let n = 0; n < 2; n++) await new Segment('orders', { store }).next()
  }
  const sent = ['POST', 'https://ids.internal/v1/segments/orders/lease', 'application/json']
  const all = [['0', 'a=b'], ['0', 'a=b'], ['1', undefined], ['2', undefined]]
  assert.deepEqual(seen, all.map((own) => [...sent, ...own, 'Bearer secret', true]))
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
