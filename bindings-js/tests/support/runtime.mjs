// Four Workers in one workerd, over Durable Objects and a D1 database in a folder: a program of its own, so that all of
// it can be killed. It prints its address.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { DATE, FRONT, leashRuntime, program } from './miniflare.mjs'
import { root } from './package.mjs'

/** The statements that create a D1 database's tables. */
export const makeD1 = () =>
  readFileSync(join(root, 'sql/d1.sql'), 'utf8')
    .split(/;\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** The names of the Workers: each is an isolate of its own. */
export const ISOLATES = ['a', 'b', 'c', 'd']

/** Options of a runtime whose Workers have this source, the first one the objects' class. Each Worker starts slowly. */
export function runtime(source, folder, { isolates = ISOLATES, bindings = {}, objects = { IDS: 'Ids' }, databases = { DB: 'ids' }, files = {}, flags = [] } = {}) {
  const shared = { compatibilityDate: DATE, compatibilityFlags: flags, ...program({ 'main.js': source, ...files }), bindings, d1Databases: databases }
  const durable = (own) =>
    Object.fromEntries(
      Object.entries(objects).map(([name, className]) => [name, { className, useSQLite: true, ...(own ? {} : { scriptName: 'a' }) }]),
    )
  const front = { name: 'front', compatibilityDate: DATE, modules: true, script: FRONT }
  return {
    cf: false,
    durableObjectsPersist: join(folder, 'objects'),
    d1Persist: join(folder, 'd1'),
    workers: [
      { ...front, serviceBindings: Object.fromEntries(isolates.map((name) => [name, name])) },
      ...isolates.map((name) => ({ ...shared, name, durableObjects: durable(name === 'a') })),
    ],
  }
}

/** Creates the store in a D1 database, unless there is one. */
export async function makeDatabase(worker, binding = 'DB') {
  const database = await worker.getD1Database(binding, 'a')
  const { results } = await database.prepare("SELECT name FROM sqlite_master WHERE name = 'meta'").all()
  if (results.length === 0) await database.batch(makeD1().map((text) => database.prepare(text)))
}

if (process.argv[1] === import.meta.filename) {
  const [, , source, folder] = process.argv
  const objects = { IDS: 'Ids', CARELESS: 'Careless' }
  const files = { 'careless.mjs': readFileSync(join(import.meta.dirname, 'careless.mjs'), 'utf8') }
  leashRuntime()
  const worker = new Miniflare(runtime(readFileSync(source, 'utf8'), folder, { objects, files }))
  const url = await worker.ready
  await makeDatabase(worker)
  console.log(`listening on ${url}`)
}
