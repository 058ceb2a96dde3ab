// A store over SQL beside servers with a journal, which note what this process writes before it is answered.
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { scratch } from './ends.mjs'
import { serve } from './store.mjs'
import { refuses } from './stores.mjs'

/** How long everybody leases at once, in ms. */
const TOGETHER_MS = 2_000
const request = '01'.repeat(16)

const range = ({ start, end }) => [BigInt(start), BigInt(end)]
const leased = async (store, ask = {}) => range(await store.leaseSegment({ tag: 'orders', request, ...ask }))

async function overHttp({ url }) {
  const response = await fetch(`${url}/v1/segments/orders/lease`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ request }) })
  const grant = await response.json()
  if (!response.ok) throw Object.assign(new Error(JSON.stringify(grant)), { code: grant.code })
  return range(grant)
}

/** Starts a server with a journal; with its first answer it is among the store's servers. */
async function started(place, journal = scratch()) {
  const server = await serve(['--store', place], undefined, journal)
  assert.ok((await fetch(`${server.url}/v1/tags/orders`)).ok)
  return server
}

/** Two stores of this process and a server lease together: no number twice. */
export async function together(t, place, make) {
  const stores = [await make({ create: { tags: { orders: { step: 10, maxStep: 10 } } } }), await make()]
  await stores[0].leaseSegment({ tag: 'orders', request })
  const server = await started(place)
  t.after(() => server.stop('SIGKILL'))
  const end = Date.now() + TOGETHER_MS
  const lease = async (once) => {
    const seen = []
    while (Date.now() < end || seen.length === 0) {
      // On a busy machine the others may be too slow.
      await once().then((range) => seen.push(range), ({ code, message }) => assert.match(code, /^(OVERLOADED|STORE_UNAVAILABLE)$/, message))
    }
    return seen
  }
  const all = await Promise.all([...stores.map((store) => lease(() => leased(store))), lease(() => overHttp(server))])
  const ranges = all.flat().sort(([one], [other]) => (one < other ? -1 : 1))
  ranges.reduce((before, after) => (assert.ok(before[1] <= after[0], `${before} and ${after}`), after))
}

/** A server that was killed is waited for, by its name; one that stopped is not. */
export async function killedAndStopped(t, place, make) {
  const store = await make({ create: { tags: { orders: { step: 10, maxStep: 10 } } } })
  const window = { namespace: 'default', request, owner: 'me', sticky: false, strict: false }
  const first = await leased(store)
  const journal = scratch()
  const server = await started(place, journal)
  await server.stop('SIGKILL')
  const name = hostname().replaceAll('.', '\\.')
  await refuses(() => store.acquire(window), 'STORE_UNAVAILABLE', new RegExp(`have not noted the request: ${name} \\(.*leafid repair`))
  const again = await started(place, journal)
  t.after(() => again.stop('SIGKILL'))
  const [one, two] = [await store.acquire(window), await store.acquire(window)]
  assert.deepEqual([one.worker, one.start, one.end], [two.worker, two.start, two.end])
  const second = await leased(store)
  assert.ok(second[0] >= first[1])
  await refuses(() => store.leaseSegment({ tag: 'orders', request, haveUntil: 10n ** 9n }), 'STORE_WENT_BACK')
  const response = await fetch(`${again.url}/v1/segments/orders/lease`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ request }) })
  assert.equal((await response.json()).code, 'STORE_REFUSED')
  await again.stop()
  // It would be refused if it waited.
  await store.release({ namespace: 'default', store: one.store, worker: one.worker, key: request, unusedFrom: one.start })
}
