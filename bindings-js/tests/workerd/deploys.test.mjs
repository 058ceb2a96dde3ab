// Deploys: a class of another version opens an object's tables, and Workers of another version ask it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { remove, scratch } from '../support/ends.mjs'
import { startMiniflare } from '../support/miniflare.mjs'
import { ISOLATES, runtime } from '../support/runtime.mjs'

const text = (path) => readFileSync(new URL(path, import.meta.url), 'utf8')
// Small ranges, so that most leased IDs are drawn.
const source = text('./ids-worker.mjs').replace('step: 200, max_step: 1000', 'step: 100, max_step: 200')
const files = { 'careless.mjs': text('../support/careless.mjs') }
const KINDS = ['segment', 'snowflake']
/** IDs of each kind that an isolate draws per working deploy. */
const EACH = 400

/** A Worker's options with the installed package, or with one of a later table version. */
function packaged(options, version) {
  if (version === 'now' || options.modules === true) return options
  const isTexts = ({ path }) => path.endsWith(join('leafid', 'sql', 'texts.js'))
  assert.ok(options.modules.some(isTexts))
  const later = (contents) => String(contents).replace(/^export const VERSION = .*$/m, 'export const VERSION = 99;')
  return { ...options, modules: options.modules.map((module) => (isTexts(module) ? { ...module, contents: later(module.contents) } : module)) }
}

/** A deploy's options: the class and the Workers may have different versions. */
function deployed(folder, { object, workers = object, className = 'Ids' }) {
  const { workers: all, ...options } = runtime(source, folder, { objects: { IDS: className, CARELESS: 'Careless' }, files })
  return { ...options, workers: all.map((worker) => packaged(worker, worker.name === 'a' ? object : workers)) }
}

/** Starts the first deploy for the test `t`; each isolate draws both kinds from each store into `got`. */
async function deploys(t, first) {
  const folder = scratch()
  const worker = await startMiniflare(deployed(folder, first))
  t.after(async () => {
    await worker.end()
    remove(folder)
  })
  const got = Object.fromEntries(KINDS.map((kind) => [kind, []]))
  const draw = async (isolate, kind) => {
    const response = await worker.fetch(`/${isolate}/?store=object&kind=${kind}&n=100`)
    return response.status === 200 ? [...new BigUint64Array(await response.arrayBuffer())] : response.json()
  }
  /** Asks each isolate for each kind, `times` at once. */
  const told = async (times) => {
    const asks = ISOLATES.flatMap((isolate) => KINDS.flatMap((kind) => Array(times).fill([isolate, kind])))
    return Promise.all(asks.map(async ([isolate, kind]) => [kind, await draw(isolate, kind)]))
  }
  return {
    got,
    deploy: (what) => worker.miniflare.setOptions(deployed(folder, what)),
    /** Each isolate draws its share of each kind. */
    async serves() {
      for (const [kind, ids] of await told(EACH / 100)) {
        assert.equal(ids.length, 100, `${ids.code} ${ids.message}`)
        got[kind].push(...ids)
      }
    },
    /** Each isolate is refused. */
    async refuses(code, words) {
      for (const [, answer] of await told(1)) {
        assert.equal(answer.code, code)
        assert.match(answer.message, words)
      }
    },
  }
}

const twice = (ids) => ids.length - new Set(ids).size

test('a class of another version: refused, no duplicates', { timeout: 900_000 }, async (t) => {
  const { got, deploy, serves, refuses } = await deploys(t, { object: 'now' })
  await serves()
  // Workers that only ask do not know the tables.
  await deploy({ object: 'now', workers: 'later' })
  await serves()
  await deploy({ object: 'later' })
  await refuses('SCHEMA_MISMATCH', /tables of version \d+, this program knows 99: deploy the version of leafid that wrote them$/)
  await deploy({ object: 'now' })
  await serves()
  console.log(`deploys: ${KINDS.map((kind) => `${got[kind].length} of ${kind}, ${twice(got[kind])} twice`).join('; ')}`)
  assert.deepEqual(KINDS.map((kind) => [got[kind].length, twice(got[kind])]), KINDS.map(() => [3 * ISOLATES.length * EACH, 0]))
})

test('the control: a class that lost its storage begins again', { timeout: 900_000 }, async (t) => {
  const { got, deploy, serves } = await deploys(t, { object: 'now' })
  await serves()
  await deploy({ object: 'now', className: 'Renamed' })
  await serves()
  console.log(`deploys, the control: ${got.segment.length} of segment, ${twice(got.segment)} twice`)
  assert.ok(twice(got.segment) >= ISOLATES.length * EACH / 2)
})
