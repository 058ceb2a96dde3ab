// Stores for tests, around the memory store, and helpers for refusals.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { memoryStore } from 'leafid'
import { ending, until } from './ends.mjs'
import { fields } from './spelling.mjs'

export { until }

/** A memory store with the tag `orders` of this step. */
export function tagged(step, maxStep = step, options = {}) {
  const rows = memoryStore(options)
  rows.createTag('orders', { step, maxStep })
  return rows
}

/** A store that records its asks, and answers what `change(verb, answer, ask)` returns. */
export function ownStore({ change = (_, answer) => answer, rows = memoryStore(), delay } = {}) {
  const asked = []
  const verb = (name) => async (ask) => {
    asked.push([name, ask])
    const answer = rows[name](ask)
    if (delay !== undefined) await delay(name, ask)
    return change(name, answer, ask)
  }
  return {
    asked,
    rows,
    leaseSegment: verb('leaseSegment'),
    acquire: verb('acquire'),
    renew: verb('renew'),
    release: verb('release'),
    verbs: () => asked.map(([name]) => name),
  }
}

/** An HTTP server on loopback for the test `t` that answers as told. */
export async function httpServer(t, answer) {
  const seen = []
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    const body = Buffer.concat(chunks).toString()
    seen.push({ method, url, headers, body })
    const told = await answer({ method, url, headers, body })
    if (told === undefined) return response.destroy()
    response.writeHead(told.status ?? 200, { 'content-type': 'application/json', ...told.headers })
    response.end(told.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = ending(async () => {
    server.closeAllConnections()
    server.close()
  })
  t.after(end)
  return { url: `http://127.0.0.1:${server.address().port}`, seen }
}

/** Answers as a server over a memory store. */
export function wire(rows) {
  const json = (value) => JSON.stringify(value, (name, item) => (typeof item === 'bigint' ? item.toString() : fields(name, item)))
  return ({ url, body }) => {
    const [, , kind, name, verb] = decodeURIComponent(url).split('/')
    const ask = { ...JSON.parse(body, fields), ...(kind === 'segments' ? { tag: name } : { namespace: name }) }
    try {
      return { body: json(rows[verb === 'lease' ? 'leaseSegment' : verb](ask)) }
    } catch (error) {
      const { code, message: detail, retryAfter: retry_after_ms } = error
      const headers = { 'content-type': 'application/problem+json' }
      return { status: 409, headers, body: JSON.stringify({ code, detail, retry_after_ms }) }
    }
  }
}

/** The TIMED_OUT of a call, caused by this code, however slow the first answers are. */
export async function timedOut(act, code) {
  let error
  await until(async () => {
    error = await refusal(act)
    if (error.code !== 'TIMED_OUT') throw error
    return error.cause.code === code
  })
  return error
}

/** The error of a call. */
export async function refusal(act) {
  try {
    const got = await act()
    throw new Error(`it gave ${String(got)}`)
  } catch (error) {
    if (error.name !== 'LeafidError') throw error
    return error
  }
}

/** The error of a call, checked for this code and these words: the whole message, or a pattern. */
export async function refuses(act, code, words = /./) {
  const error = await refusal(act)
  assert.equal(error.code, code, `${act}: ${error.message}`)
  if (typeof words === 'string') assert.equal(error.message, words)
  else assert.match(error.message, words)
  return error
}

/** The error of `act` once a lease has failed, with these words: a busy machine may cause another one first. */
export async function afterFailure(ids, act, words = /./) {
  let error = await refusal(act)
  await until(async () => {
    if (ids.stats().failures === 0) return false
    error = await refusal(act)
    return words.test(error.message)
  }).catch((late) => Promise.reject(new Error(`${late.message}: ${error.message}`)))
  return error
}
