// Draws from any store: `n` IDs of a kind in each part, each printed, as one process, with worker threads, or as a
// cluster. Stays up if it `holds`. A file is created as `create` declares.
import cluster from 'node:cluster'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'
import { sqliteStore } from 'leafid/node'

const [place, kind, n, form = 'process', holds, create = 'false'] = isMainThread ? process.argv.slice(2) : workerData
const PARTS = 3

async function draw(print) {
  const store = /^\w+:/.test(place) ? place : sqliteStore(place, { create: JSON.parse(create) })
  const options = { store, timeout: 300_000 }
  const ids = kind === 'snowflake' ? new Snowflake('default', options) : new Segment('orders', { ...options, maxGrowth: 1 })
  for (let left = Number(n); left > 0; left -= 100) {
    // `;` marks a whole line: a kill may cut one off.
    print((await ids.take(Math.min(100, left))).map((id) => `${id};\n`).join(''))
    // Lets timers and answers run.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (holds === 'holds') setInterval(() => {}, 60_000)
  else await ids.close()
}

const print = (text) => process.stdout.write(text)
if (!isMainThread) await draw((text) => parentPort.postMessage(text))
else if (form === 'threads') {
  for (let part = 0; part < PARTS; part++) new Worker(new URL(import.meta.url), { workerData: process.argv.slice(2) }).on('message', print)
} else if (form === 'cluster' && cluster.isPrimary) {
  for (let part = 0; part < PARTS; part++) cluster.fork()
} else {
  await draw(print)
  if (cluster.isWorker) cluster.worker.disconnect()
}
