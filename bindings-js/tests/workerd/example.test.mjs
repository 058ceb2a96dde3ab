// `examples/cloudflare-worker` with its wrangler.jsonc, but without wrangler; the Worker of the package's README; and
// that of the project's, unchanged except for the port.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transform } from 'esbuild'
import { DATE, program, startMiniflare, startWorker } from '../support/miniflare.mjs'
import { root } from '../support/package.mjs'
import { checkout, quickStart } from '../support/places.mjs'
import { makeD1 } from '../support/runtime.mjs'
import { storeFor } from '../support/store.mjs'

const folder = join(checkout, 'examples/cloudflare-worker')
const read = (path) => readFileSync(join(folder, path), 'utf8')

/** Starts a Worker with this source and wrangler's settings, for the test `t`. */
async function deployed(t, settings, source) {
  const { durable_objects: { bindings }, d1_databases = [], migrations, compatibility_date = DATE } = JSON.parse(settings.replace(/^\s*\/\/.*$/gm, ''))
  assert.equal(compatibility_date, DATE)
  const sqlite = migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes)
  const worker = await startMiniflare({
    cf: false,
    compatibilityDate: DATE,
    ...program({ 'main.js': source }),
    durableObjects: Object.fromEntries(bindings.map(({ name, class_name }) => [name, { className: class_name, useSQLite: sqlite.includes(class_name) }])),
    d1Databases: d1_databases.map(({ binding }) => binding),
  })
  t.after(worker.end)
  return worker
}

test('the example hands out numbers and stamps', async (t) => {
  const settings = read('wrangler.jsonc')
  const { miniflare, fetch } = await deployed(t, settings, read(/"main": "(.*)"/.exec(settings)[1]))
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
  const [[, source], [, settings]] = [/```ts\n([^]*?)```/, /```jsonc\n([^]*?)```/].map((fence) => fence.exec(readme))
  assert.match(source, /leafid\/workers/)
  const { code } = await transform(source, { loader: 'ts' })
  const { fetch } = await deployed(t, `{\n${settings}}`, code)
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
