// `examples/cloudflare-worker`, as its own wrangler.jsonc says, without wrangler; the Worker of the package's README, and that of the
// project's, as it stands there but for the port.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DATE, program, startMiniflare, startWorker } from '../support/miniflare.mjs'
import { root } from '../support/package.mjs'
import { checkout, quickStart } from '../support/places.mjs'
import { makeD1 } from '../support/runtime.mjs'
import { storeFor } from '../support/store.mjs'

const folder = join(checkout, 'examples/cloudflare-worker')
const read = (path) => readFileSync(join(folder, path), 'utf8')

test('the example hands out numbers and stamps', async (t) => {
  const config = JSON.parse(read('wrangler.jsonc').replace(/^\s*\/\/.*$/gm, ''))
  assert.equal(config.compatibility_date, DATE)
  const sqlite = config.migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes)
  const { miniflare, fetch, end } = await startMiniflare({
    cf: false,
    compatibilityDate: config.compatibility_date,
    ...program({ 'main.js': read(config.main) }),
    durableObjects: Object.fromEntries(
      config.durable_objects.bindings.map(({ name, class_name }) => [name, { className: class_name, useSQLite: sqlite.includes(class_name) }]),
    ),
    d1Databases: config.d1_databases.map(({ binding }) => binding),
  })
  t.after(end)
  const database = await miniflare.getD1Database('DB')
  await database.batch(makeD1().map((text) => database.prepare(text)))
  const ask = async (path) => (await fetch(path)).json()
  assert.deepEqual([await ask('/orders'), await ask('/orders')], [{ order: '1' }, { order: '2' }])
  assert.deepEqual(await ask('/invoices'), { invoice: '5000001' })
  const { event, time, worker } = await ask('/events')
  assert.match(event, /^\d+$/)
  assert.ok(Math.abs(new Date(time) - Date.now()) < 60_000 && worker === 0)
})

test('the Worker of the README hands out numbers', async (t) => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, source] = /```ts\n([^]*?)```/.exec(readme)
  assert.match(source, /leafid\/workers/)
  const config = JSON.parse(`{${/```jsonc\n([^]*?)```/.exec(readme)[1].replace(/^\/\/.*$/gm, '')}}`)
  const [{ name, class_name: className }] = config.durable_objects.bindings
  assert.deepEqual(config.migrations[0].new_sqlite_classes, [className])
  const { fetch, end } = await startMiniflare({
    cf: false,
    compatibilityDate: DATE,
    ...program({ 'main.js': source }),
    durableObjects: { [name]: { className, useSQLite: true } },
  })
  t.after(end)
  for (const number of ['1', '2', '3']) assert.equal(await (await fetch('/')).text(), number)
})

test('the quick start for a Worker runs', async (t) => {
  const store = await storeFor(t, { tags: { orders: {} } })
  const program = quickStart().find((program) => program.includes('export default'))
  const address = 'http://127.0.0.1:8750'
  assert.ok(program.includes(address))
  const worker = await startWorker(program.replace(address, store.url))
  t.after(worker.end)
  for (const number of ['1', '2', '3']) {
    assert.equal(await (await worker.fetch('/')).text(), number)
  }
})
