// How many leases a herd of requests costs, some of which go away.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { test } from 'node:test'
import { startWorker } from '../support/miniflare.mjs'
import { httpServer, tagged, wire } from '../support/stores.mjs'

const text = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const source = text('./worker.mjs')
const files = { 'instances.mjs': text('./instances.mjs'), 'leaps.mjs': text('../support/leaps.mjs') }
const REQUESTS = 600
const EACH = 5
const STEP = 100

/** Every request at once; one in `gone` goes away early: what the others got, and how many leases it took. */
async function herd(t, gone) {
  const rows = tagged(STEP)
  // One that is sent again, for its answer was late, is no second lease.
  const leases = new Set()
  const answer = wire(rows)
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
  const one = (n) =>
    new Promise((resolve) => {
      const isGone = gone !== undefined && n % gone === 3
      const request = get(new URL(`/take?n=${EACH}`, worker.url), async (response) => {
        const text = (await response.toArray().catch(() => [])).join('')
        if (response.complete && response.statusCode === 200) got.push(...JSON.parse(text).numbers)
        else if (isGone) left += 1
        else failed.push(`${response.statusCode} ${text}`)
        resolve()
      })
      request.on('error', (error) => {
        if (isGone) left += 1
        else failed.push(error.message)
        resolve()
      })
      if (isGone) setTimeout(() => request.destroy(), n % 40)
    })
  await Promise.all(Array.from({ length: REQUESTS }, (_, n) => one(n)))
  return { got, failed, left, leases: leases.size }
}

for (const gone of [undefined, 10]) {
  test(`3,000 IDs under 600 requests at once${gone === undefined ? '' : ', every tenth abandoned'}: at most 33 leases, and no request fails`, { timeout: 900_000 }, async (t) => {
    const { got, failed, left, leases } = await herd(t, gone)
    assert.deepEqual(failed, [])
    assert.equal(got.length, (REQUESTS - left) * EACH)
    assert.equal(new Set(got).size, got.length)
    assert.ok(gone === undefined || left >= 10, `${left} abandoned`)
    t.diagnostic(`${leases} leases for ${got.length} IDs, ${left} requests abandoned`)
    assert.ok(leases <= 33, `${leases} leases`)
  })
}
