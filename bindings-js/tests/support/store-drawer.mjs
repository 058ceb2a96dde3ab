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

/** The control, over a file or a database. */
async function controlled() {
  if (place.startsWith('mysql:')) {
    const pool = (await import('mysql2/promise')).createPool(place)
    return careless(async (sql) => (await pool.query(sql))[0])
  }
  if (place.startsWith('postgres:')) {
    const pool = new (await import('pg')).default.Pool({ connectionString: place })
    return careless(async (sql) => (await pool.query(sql)).rows)
  }
  const { Connection } = await inner()
  const file = new Connection(place)
  file.script('PRAGMA busy_timeout = 5000')
  return careless((sql) => (sql.startsWith('SELECT') ? file.all({ sql, params: [] }) : file.script(sql)))
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
  // A database's pool would keep it up.
  if (kind === 'careless') process.exit()
}
