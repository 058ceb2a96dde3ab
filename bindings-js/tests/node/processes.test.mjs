// Threads and processes of one program draw side by side.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'
import { drawer, drawn, duplicates } from '../support/drawn.mjs'
import { ending } from '../support/ends.mjs'
import { storeFor } from '../support/store.mjs'
import { until } from '../support/stores.mjs'

const COUNT = 3_000
const KINDS = ['segment', 'snowflake']
const tags = { orders: { step: 50, max_step: 100 } }

for (const form of ['threads', 'cluster']) {
  test(`${form}: no duplicates`, async (t) => {
    const store = await storeFor(t, { tags })
    const seen = []
    await Promise.all(KINDS.map((kind) => drawn(store.url, kind, COUNT, seen, { form })))
    assert.equal(duplicates(form, seen), 0)
  })
}

test('the control: threads with a store in each draw the same numbers', async () => {
  const seen = []
  await drawn('memory:', 'segment', COUNT, seen, { form: 'threads' })
  assert.equal(duplicates('threads apart', seen), 2 * COUNT)
})

test('terminated threads leave the process whole', async (t) => {
  const store = await storeFor(t, { tags })
  const [orders, ids] = [new Segment('orders', { store: store.url }), new Snowflake('default', { store: store.url })]
  const seen = []
  for (let round = 0; round < 3; round++) {
    const told = [0, 0, 0, 0]
    const threads = told.map((_, at) => {
      const thread = new Worker(drawer, { workerData: [store.url, KINDS[at % 2], 'Infinity'] })
      // A thread that draws without end would keep the test file from ending.
      ending(() => thread.terminate())
      return thread.on('message', (text) => {
        told[at] += 1
        seen.push(...text.trim().split('\n'))
      })
    })
    await until(() => told.every((times) => times > 0), 300_000)
    await Promise.all(threads.map((thread) => thread.terminate()))
    for (const own of [orders, ids]) seen.push(...(await own.take(100)).map((id) => `${id};`))
  }
  assert.equal(duplicates('terminated', seen), 0)
  await ids.close()
})
