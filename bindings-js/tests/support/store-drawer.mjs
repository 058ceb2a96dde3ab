// A program that draws from any store: `n` IDs of a kind in each of its parts, each printed. As one process, as a process
// with worker threads, or as a cluster. It stays if it `holds`. A file is made as `create` declares. `careless` leaves out what the
// store is there for.
import cluster from 'node:cluster'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { inner } from './package.mjs'

const [place, kind, n, form = 'process', holds, create = 'false'] = isMainThread ? process.argv.slice(2) : workerData
const PARTS = 3

async function databaseTables(address) {
  const { linked } = await inner('databases/over.js')
  const isMysql = address.startsWith('mysql')
  const pool = isMysql ? (await import('mysql2')).default.createPool(address) : new (await import('pg')).default.Pool({ connectionString: address })
  const link = linked(pool, false)
  const bare = (step) => {
    const sql = step.sql.replace(/(WHERE tag = .+?) AND[^]*?(RETURNING|$)/, '$1 $2')
    if (step.must === 'write' && sql === step.sql) throw new Error(`nothing was left out of ${sql}`)
    return { ...step, sql }
  }
  return { dialect: link.dialect, read: (queries) => link.read(queries), write: (steps) => link.write(steps.map(bare)) }
}

async function fileTables(path) {
  const { Connection } = await inner('files/driver.js')
  const connection = new Connection(path)
  connection.script('PRAGMA busy_timeout = 5000')
  const write = ({ sql, params }) => {
    const bare = sql.replace(/(WHERE tag = \?) AND[^]*$/, '$1')
    connection.run({ sql: bare, params: params.slice(0, bare.split('?').length - 1) })
  }
  return {
    read: (queries) => queries.map((query) => connection.all(query)),
    write(steps) {
      steps.forEach(write)
      return true
    },
  }
}

/** A store that decides on what it read, and writes without looking whether that is still so. */
async function careless() {
  const [{ runFar }, { Works }] = await Promise.all(['sql/run.js', 'sql/work.js'].map(inner))
  const { dialect, read, write } = await (place.includes('://') ? databaseTables : fileTables)(place)
  const works = new Works({ dialect, clock: () => Date.now(), hasVersion: false })
  const tables = {
    async read(queries) {
      const found = await read(queries)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return found
    },
    write: async (steps) => write(steps),
  }
  return { lease_segment: ({ have_until: _, ...ask }) => runFar(tables, () => works.lease_segment(ask)) }
}

async function draw(print) {
  const named = /^\w+:/.test(place) ? place : sqliteStore(place, { create: JSON.parse(create) })
  const options = { store: kind === 'careless' ? await careless() : named, timeout: 300_000 }
  const made = () => (kind === 'snowflake' ? new Snowflake('default', options) : new Segment('orders', { ...options, maxGrowth: 1 }))
  let ids = made()
  for (let left = Number(n); left > 0; left -= 100) {
    // A holder refuses a range that it has had: the control has a new one each time.
    if (kind === 'careless') ids = made()
    // A line that a kill cuts off has no end.
    print((await ids.take(Math.min(100, left))).map((id) => `${id};\n`).join(''))
    // Timers and answers have their turn.
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
