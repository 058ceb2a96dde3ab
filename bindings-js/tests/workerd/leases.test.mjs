// The number of leases for many simultaneous requests, some of which disconnect.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { test } from 'node:test'
import { startWorker } from '../support/miniflare.mjs'
import { httpServer, tagged, wire } from '../support/stores.mjs'

const text = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const source = text('./worker.mjs')
const files = { 'instances.mjs': text('./instances.mjs') }

const AT_ONCE = 600
const EACH = 5

/** Sends many requests at once, one in `gone` of which disconnects early: counts those, and the others' leases. */
async function herd(t, gone) {
  // An ask repeated after a late answer is no second lease.
  const leases = new Set()
  const answer = wire(tagged(100))
  const store = await httpServer(t, async (request) => {
    leases.add(JSON.parse(request.body).request)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return answer(request)
  })
  const worker = await startWorker(source, { files, bindings: { LEAFID_STORE: store.url } })
  t.after(worker.end)
  const got = []
  const failed = []
  let left = 0
  // A plain socket can be closed in any state of the answer.
  const one = (n) =>
    new Promise((resolve) => {
      const isGone = gone !== undefined && n % gone === 3
      const end = (failure) => {
        if (failure !== undefined && isGone) left += 1
        else if (failure !== undefined) failed.push(failure)
        resolve()
      }
      const request = get(new URL(`/take?n=${EACH}`, worker.url), async (response) => {
        const text = (await response.toArray().catch(() => [])).join('')
        const isWhole = response.complete && response.statusCode === 200
        if (isWhole) got.push(...JSON.parse(text).numbers)
        end(isWhole ? undefined : `${response.statusCode} ${text}`)
      })
      request.on('error', ({ message }) => end(message))
      if (isGone) setTimeout(() => request.destroy(), n % 40)
    })
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => one(n)))
  assert.deepEqual(failed, [])
  assert.equal(got.length, (AT_ONCE - left) * EACH)
  assert.equal(new Set(got).size, got.length)
  t.diagnostic(`${leases.size} leases for ${got.length} IDs, ${left} requests abandoned`)
  return { left, leases: leases.size }
}

for (const gone of [undefined, 10]) {
  test(`3,000 IDs under 600 requests at once${gone === undefined ? '' : ', every tenth abandoned'}: at most 33 leases, and no request fails`, { timeout: 900_000 }, async (t) => {
    const { left, leases } = await herd(t, gone)
    assert.ok(gone === undefined || left >= 10, `${left} abandoned`)
    assert.ok(leases <= 33, `${leases} leases`)
  })
}
