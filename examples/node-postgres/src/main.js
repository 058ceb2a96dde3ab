// Orders in PostgreSQL, with numbers and stamps from the same database: no other service, no round trip per ID.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { Segment, Snowflake, decode } from 'leafid'
import { sqlStore } from 'leafid/node'

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const pool = new pg.Pool({ connectionString })
// A pool of its own: a transaction that waits for an ID may hold the application's last connection.
const own = new pg.Pool({ connectionString, max: 2 })
// In production, `leafid init` and `leafid tag create` create them: remove `create`.
const store = sqlStore(own, { create: { tags: { orders: { step: 100 } } } })
const numbers = new Segment('orders', { store })
const stamps = new Snowflake('default', { store })

await pool.query('CREATE TABLE IF NOT EXISTS orders (number BIGINT PRIMARY KEY, stamp BIGINT NOT NULL, item TEXT NOT NULL)')

const app = new Hono()

app.post('/orders', async (context) => {
  const { item } = await context.req.json()
  const [number, stamp] = await Promise.all([numbers.nextString(), stamps.nextString()])
  await pool.query('INSERT INTO orders (number, stamp, item) VALUES ($1, $2, $3)', [number, stamp, item])
  return context.json({ number, stamp }, 201)
})

app.get('/orders/:number', async (context) => {
  const { rows } = await pool.query('SELECT number, stamp, item FROM orders WHERE number = $1', [context.req.param('number')])
  if (rows.length === 0) return context.json({ error: 'no such order' }, 404)
  const [{ number, stamp, item }] = rows
  return context.json({ number, item, at: decode(stamp).time })
})

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8080) }, ({ port }) => console.log(`listening on http://127.0.0.1:${port}`))

process.once('SIGTERM', () => {
  server.close(async () => {
    // Frees the rest of the window for the next process at once.
    await Promise.all([numbers.close(), stamps.close()])
    await Promise.all([pool.end(), own.end()])
  })
})
