// A thread or a process that draws from a store and says what it got.
import cluster from 'node:cluster'
import { parentPort, workerData } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'

const told = workerData ?? { url: process.env.DRAW_FROM, count: Number(process.env.DRAW_COUNT) }
const orders = new Segment('orders', { store: told.url, timeout: 300_000 })
const ids = new Snowflake('default', { store: told.url, timeout: 300_000 })
const numbers = []
const stamps = []
while (numbers.length < told.count) {
  numbers.push(String(await orders.next()))
  stamps.push(String(await ids.next()))
  // Of one that is ended before it can say what it got.
  if (told.seen !== undefined) told.seen.set([BigInt(numbers.at(-1)), BigInt(stamps.at(-1))])
}
await ids.close()
await orders.close()
if (cluster.isWorker) process.send({ numbers, stamps }, () => process.disconnect())
else parentPort.postMessage({ numbers, stamps })
