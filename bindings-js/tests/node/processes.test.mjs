// Threads and processes of one program draw side by side.
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { startStore } from '../support/store.mjs'

const drawer = new URL('../support/drawer.mjs', import.meta.url)
const COUNT = 3_000

async function all(t, draw) {
  const store = await startStore()
  t.after(store.end)
  await store.createTag('orders', { step: 50, max_step: 100 })
  const drawn = await Promise.all(Array.from({ length: 4 }, () => draw(store.url)))
  for (const kind of ['numbers', 'stamps']) {
    const ids = drawn.flatMap((one) => one[kind])
    assert.equal(ids.length, 4 * COUNT)
    assert.equal(new Set(ids).size, 4 * COUNT)
  }
}

test('worker_threads', (t) =>
  all(t, async (url) => {
    const thread = new Worker(drawer, { workerData: { url, count: COUNT } })
    const [drawn] = await once(thread, 'message')
    await thread.terminate()
    return drawn
  }))

test('cluster', (t) => {
  cluster.setupPrimary({ exec: fileURLToPath(drawer), execArgv: [] })
  return all(t, async (url) => {
    const worker = cluster.fork({ DRAW_FROM: url, DRAW_COUNT: String(COUNT) })
    const [drawn] = await once(worker, 'message')
    return drawn
  })
})
