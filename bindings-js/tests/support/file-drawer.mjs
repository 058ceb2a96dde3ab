// A process that draws from a file, or makes it as `create` declares: `n` IDs of a kind, each printed; it stays if it `holds`.
// `careless` leaves out what the store is there for.
import { Segment, Snowflake } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { inner } from './package.mjs'

const [, , place, kind, n, holds, create = 'false'] = process.argv

async function careless(path) {
  const [{ Connection }, { runFar }, { Works }] = await Promise.all(['files/driver.js', 'sql/run.js', 'sql/work.js'].map(inner))
  const connection = new Connection(path)
  connection.script('PRAGMA busy_timeout = 5000')
  const works = new Works({ clock: () => Date.now(), hasVersion: false })
  const tables = {
    async read(queries) {
      const rows = queries.map((query) => connection.all(query))
      await new Promise((resolve) => setTimeout(resolve, 5))
      return rows
    },
    async write(steps) {
      for (const { sql, params } of steps) {
        const bare = sql.replace(/(WHERE tag = \?) AND[^]*$/, '$1')
        connection.run({ sql: bare, params: params.slice(0, bare.split('?').length - 1) })
      }
      return true
    },
  }
  return { lease_segment: ({ have_until: _, ...ask }) => runFar(tables, () => works.lease_segment(ask)) }
}

const store = kind === 'careless' ? await careless(place) : place.startsWith('http') ? place : sqliteStore(place, { create: JSON.parse(create) })
const made = () => (kind === 'snowflake' ? new Snowflake('default', { store, timeout: 300_000 }) : new Segment('orders', { store, timeout: 300_000, maxGrowth: 1 }))
let ids = made()
for (let left = Number(n); left > 0; left -= 100) {
  // A holder refuses a range that it has had: the control has a new one each time.
  if (kind === 'careless') ids = made()
  // A line that a kill cuts off has no end.
  process.stdout.write((await ids.take(Math.min(100, left))).map((id) => `${id};\n`).join(''))
  // Timers and answers have their turn.
  await new Promise((resolve) => setImmediate(resolve))
}
if (holds === 'holds') setInterval(() => {}, 60_000)
else await ids.close()
