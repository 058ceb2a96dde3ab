// `examples/node-postgres`: two instances over one real PostgreSQL, with the packed package.
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENGINES } from '../support/databases.mjs'
import { says, startNode, stop } from '../support/ends.mjs'
import { checkout } from '../support/places.mjs'

const { PostgreSQL } = ENGINES
const source = join(checkout, 'examples/node-postgres/src/main.js')
// Beside the tests, where it finds the package as a user's program does.
const program = join(import.meta.dirname, 'example-postgres.mjs')

async function started(t, url) {
  const child = startNode([program], { env: { ...process.env, DATABASE_URL: url, PORT: '0' } })
  t.after(() => stop(child))
  let told = ''
  child.stderr.on('data', (chunk) => (told += chunk))
  const [address] = await says(child, /http:\/\/\S+(?=\s)/)
  const ends = async () => {
    await stop(child, 'SIGTERM')
    assert.deepEqual([child.exitCode, child.signalCode], [0, null], told)
  }
  return { address, ends }
}

PostgreSQL.test('two services over one database make orders with numbers of their own', async (t) => {
  copyFileSync(source, program)
  const server = await PostgreSQL.start()
  t.after(server.end)
  const url = server.make('shop')
  const services = [await started(t, url), await started(t, url)]
  const order = async ({ address }, item) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${address}/orders`, { method: 'POST', headers, body: JSON.stringify({ item }) })
    assert.equal(response.status, 201)
    return response.json()
  }
  const made = await Promise.all(Array.from({ length: 200 }, (_, at) => order(services[at % 2], `item ${at}`)))
  assert.equal(new Set(made.map(({ number }) => number)).size, 200)
  assert.equal(new Set(made.map(({ stamp }) => stamp)).size, 200)
  assert.equal(server.run('shop', 'SELECT count(*), count(DISTINCT stamp) FROM orders'), '200|200')
  const { item, at } = await (await fetch(`${services[0].address}/orders/${made[7].number}`)).json()
  assert.ok(item === 'item 7' && Math.abs(new Date(at) - Date.now()) < 60_000, at)
  assert.equal((await fetch(`${services[1].address}/orders/0`)).status, 404)
  for (const { ends } of services) await ends()
})
