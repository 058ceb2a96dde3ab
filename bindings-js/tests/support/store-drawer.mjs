// Draws from any store: `n` IDs of a kind in each part, each printed, as one process, with worker threads, or as a
// cluster. Stays up if it `holds`. A file is created as `create` declares. `careless`, the control, leaves out the
// store's guard.
import cluster from 'node:cluster'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { careless } from './careless.mjs'
import { inner } from './package.mjs'

const [place, kind, n, form = 'process', holds, create = 'false'] = isMainThread ? process.argv.slice(2) : workerData
const PARTS = 3

/** The tables of a database or a file, and their dialect. */
async function tables() {
  if (place.includes('://')) {
    const { linked } = await inner('databases/over.js')
    const pool = place.startsWith('mysql') ? (await import('mysql2')).default.createPool(place) : new (await import('pg')).default.Pool({ connectionString: place })
    return linked(pool, false)
  }
  const { Connection } = await inner('files/driver.js')
  const connection = new Connection(place)
  connection.script('PRAGMA busy_timeout = 5000')
  return {
    read: (queries) => queries.map((query) => connection.all(query)),
    write: (steps) => steps.forEach((step) => connection.run(step)),
  }
}

async function controlled() {
  const [{ runFar }, { Works }] = await Promise.all(['sql/run.js', 'sql/work.js'].map(inner))
  const own = await tables()
  const { dialect } = own
  return careless({ read: (queries) => own.read(queries), write: (steps) => own.write(steps) }, runFar, new Works({ dialect, clock: () => Date.now(), hasVersion: false }))
}

async function draw(print) {
  const named = /^\w+:/.test(place) ? place : sqliteStore(place, { create: JSON.parse(create) })
  const options = { store: kind === 'careless' ? await controlled() : named, timeout: 300_000 }
  const made = () => (kind === 'snowflake' ? new Snowflake('default', options) : new Segment('orders', { ...options, maxGrowth: 1 }))
  let ids = made()
  for (let left = Number(n); left > 0; left -= 100) {
    // A holder refuses a range that it has had, so the control uses a new one each time.
    if (kind === 'careless') ids = made()
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
  if (kind === 'careless') process.exit()
}
