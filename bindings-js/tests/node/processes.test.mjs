// Threads and processes of one program draw side by side.
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'
import { ending } from '../support/ends.mjs'
import { storeFor } from '../support/store.mjs'
import { until } from '../support/stores.mjs'

const drawer = new URL('../support/drawer.mjs', import.meta.url)
const COUNT = 3_000

async function all(t, draw) {
  const store = await storeFor(t, { tags: { orders: { step: 50, max_step: 100 } } })
  const drawn = await Promise.all(Array.from({ length: 4 }, () => draw(store.url)))
  for (const kind of ['numbers', 'stamps']) {
    const ids = drawn.flatMap((one) => one[kind])
    assert.equal(ids.length, 4 * COUNT)
    assert.equal(new Set(ids).size, 4 * COUNT)
  }
}

function threadOf(workerData) {
  const thread = new Worker(drawer, { workerData })
  // One that draws without end would keep the file from ending.
  ending(() => thread.terminate())
  return thread
}

/** What it tells; one that ends instead has no message. */
const told = async (drawer) => (await Promise.race(['message', 'exit'].map((event) => once(drawer, event))))[0]

test('worker_threads', (t) =>
  all(t, async (url) => {
    const thread = threadOf({ url, count: COUNT })
    const drawn = await told(thread)
    await thread.terminate()
    return drawn
  }))

test('cluster', (t) => {
  // Silent: with the pipes of this process it would keep the runner waiting.
  cluster.setupPrimary({ exec: fileURLToPath(drawer), execArgv: [], silent: true })
  return all(t, async (url) => {
    const worker = cluster.fork({ DRAW_FROM: url, DRAW_COUNT: String(COUNT) })
    ending(async () => worker.process.kill('SIGKILL'))
    for (const stream of [worker.process.stdout, worker.process.stderr]) stream.on('data', (chunk) => process.stderr.write(chunk))
    return told(worker)
  })
})

test('threads that are terminated in the middle of it leave the process whole', async (t) => {
  const store = await storeFor(t, { tags: { orders: { step: 50, max_step: 100 } } })
  const orders = new Segment('orders', { store: store.url })
  const ids = new Snowflake('default', { store: store.url })
  for (let round = 0; round < 3; round++) {
    const seen = Array.from({ length: 4 }, () => new BigUint64Array(new SharedArrayBuffer(16)))
    const threads = seen.map((mine) => threadOf({ url: store.url, count: Infinity, seen: mine }))
    await until(() => seen.every(([, stamp]) => stamp > 0n), 300_000)
    await Promise.all(threads.map((thread) => thread.terminate()))
    const drawn = [await orders.take(100), await ids.take(100)]
    for (const [kind, all] of drawn.entries()) for (const mine of seen) assert.ok(!all.includes(mine[kind]))
  }
  await ids.close()
})
