// A program that draws from a database: `n` IDs of a kind in each of its parts, each printed. As one process, as a process with
// worker threads, or as a cluster. It stays if it `holds`. `careless` leaves out what the store is there for.
import cluster from 'node:cluster'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Segment, Snowflake } from 'leafid'
import { inner } from './package.mjs'

const [place, kind, n, form, holds] = isMainThread ? process.argv.slice(2) : workerData
const PARTS = 3

/** A store that decides on what it read, and writes without looking whether that is still so. */
async function careless(address) {
  const [{ linked }, { runFar }, { Works }] = await Promise.all(['databases/over.js', 'sql/run.js', 'sql/work.js'].map(inner))
  const isMysql = address.startsWith('mysql')
  const pool = isMysql ? (await import('mysql2')).default.createPool(address) : new (await import('pg')).default.Pool({ connectionString: address })
  const link = linked(pool, false)
  const works = new Works({ dialect: link.dialect, clock: () => Date.now(), hasVersion: false })
  const tables = {
    async read(queries) {
      const found = await link.read(queries)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return found
    },
    write: (steps) =>
      link.write(
        steps.map((step) => {
          const sql = step.sql.replace(/(WHERE tag = .+?) AND[^]*?(RETURNING|$)/, '$1 $2')
          if (step.must === 'write' && sql === step.sql) throw new Error(`nothing was left out of ${sql}`)
          return { ...step, sql }
        }),
      ),
  }
  return { lease_segment: ({ have_until: _, ...ask }) => runFar(tables, () => works.lease_segment(ask)) }
}

async function draw(print) {
  const store = kind === 'careless' ? await careless(place) : place
  const options = { store, timeout: 300_000 }
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
