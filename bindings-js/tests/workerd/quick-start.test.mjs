// The quick start of the project's README, for a Worker: as it stands there, but for the port.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorker } from '../support/miniflare.mjs'
import { quickStart } from '../support/places.mjs'
import { storeFor } from '../support/store.mjs'

test('the quick start for a Worker runs', async (t) => {
  const store = await storeFor(t, { tags: { orders: {} } })
  const program = quickStart().find((program) => program.includes('export default'))
  const address = 'http://127.0.0.1:8750'
  assert.ok(program.includes(address))
  const worker = await startWorker(program.replace(address, store.url))
  t.after(worker.end)
  for (const number of ['1', '2', '3']) {
    assert.equal(await (await worker.fetch('/')).text(), number)
  }
})
