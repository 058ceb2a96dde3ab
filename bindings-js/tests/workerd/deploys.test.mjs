// Deploys under load: a class of another version opens the tables of an object, and Workers of another version ask it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { remove, scratch } from '../support/ends.mjs'
import { startMiniflare } from '../support/miniflare.mjs'
import { ISOLATES, runtime } from '../support/runtime.mjs'
import { until } from '../support/stores.mjs'

const source = readFileSync(new URL('./deploys-worker.mjs', import.meta.url), 'utf8')
const KINDS = ['segment', 'snowflake']
/** What each isolate draws of each kind, at least, in each deploy that serves. */
const EACH = 400

/** A Worker's options with the installed package, or with one whose tables have a later version. */
function packaged(options, version) {
  if (version === 'now' || options.modules === true) return options
  const isTexts = ({ path }) => path.endsWith(join('leafid', 'sql', 'texts.js'))
  assert.ok(options.modules.some(isTexts))
  const later = (contents) => String(contents).replace(/^export const VERSION = .*$/m, 'export const VERSION = 99;')
  return { ...options, modules: options.modules.map((module) => (isTexts(module) ? { ...module, contents: later(module.contents) } : module)) }
}

/** The options of a deploy: the class is of one version, the Workers beside it of another. */
function deployed(folder, { object, workers = object, className = 'Ids' }) {
  const { workers: all, ...options } = runtime(source, folder, { objects: { IDS: className } })
  return { ...options, workers: all.map((worker) => packaged(worker, worker.name === 'a' ? object : workers)) }
}

/** Every isolate asks for both kinds without a pause, through all deploys. */
async function load(t, first) {
  const folder = scratch()
  const got = Object.fromEntries(KINDS.map((kind) => [kind, []]))
  let isOver = false
  let counts
  let runs = []
  let generation = 0
  let url
  const worker = await startMiniflare(deployed(folder, first))
  t.after(async () => {
    isOver = true
    // Whatever is under way fails with the runtime. Not by a signal: a body whose end is here, and was not read yet, would never come.
    await worker.end()
    await Promise.all(runs)
    remove(folder)
  })
  // Each runtime listens on a port of its own.
  const begin = async () => {
    url = await worker.miniflare.ready
    generation += 1
    counts = new Map()
  }
  const count = (name, n = 1) => counts.set(name, (counts.get(name) ?? 0) + n)
  const run = async (isolate, kind) => {
    while (!isOver) {
      const deploy = generation
      try {
        const response = await fetch(new URL(`/${isolate}/?kind=${kind}`, url), { headers: { connection: 'close' } })
        const answer = response.status === 200 ? new BigUint64Array(await response.arrayBuffer()) : await response.json()
        if (response.status === 200) got[kind].push(...answer)
        // An answer of the deploy before says nothing of this one.
        if (deploy !== generation) continue
        if (response.status === 200) count(`${isolate} ${kind}`, answer.length)
        else count(`${isolate} ${kind} ${answer.code} ${answer.message}`)
      } catch {
        // The runtime went away under it, and comes back.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  }
  await begin()
  runs = ISOLATES.flatMap((isolate) => KINDS.map((kind) => run(isolate, kind)))
  const all = (fits) => ISOLATES.every((isolate) => KINDS.every((kind) => [...counts].some(([name, n]) => fits(name, n, `${isolate} ${kind}`))))
  const reached = (fits) => until(() => all(fits), 400_000).catch((error) => assert.fail(`${error.message}: ${JSON.stringify([...counts])}`))
  return {
    got,
    async deploy(what) {
      await worker.miniflare.setOptions(deployed(folder, what))
      await begin()
    },
    /** Each isolate draws its share of each kind. */
    serves: () => reached((name, n, whose) => name === whose && n >= EACH),
    /** Each isolate is refused, and draws nothing. */
    async refuses(code, words) {
      await reached((name, n, whose) => name.startsWith(`${whose} ${code} `) && words.test(name) && n >= 2)
      const draws = ISOLATES.flatMap((isolate) => KINDS.map((kind) => `${isolate} ${kind}`))
      assert.deepEqual([...counts.keys()].filter((name) => draws.includes(name)), [])
    },
  }
}

const twice = (ids) => ids.length - new Set(ids).size

test('a class of another version under load: refused, no duplicates', { timeout: 900_000 }, async (t) => {
  const { got, deploy, serves, refuses } = await load(t, { object: 'now' })
  await serves()
  // Who only asks knows nothing of tables.
  await deploy({ object: 'now', workers: 'later' })
  await serves()
  await deploy({ object: 'later' })
  await refuses('SCHEMA_MISMATCH', /tables of version \d+, this program knows 99: deploy the version of leafid that wrote them$/)
  await deploy({ object: 'now' })
  await serves()
  const told = KINDS.map((kind) => `${got[kind].length} of ${kind}, ${twice(got[kind])} twice`)
  console.log(`deploys: ${told.join('; ')}`)
  assert.deepEqual(KINDS.map((kind) => twice(got[kind])), [0, 0])
  assert.ok(KINDS.every((kind) => got[kind].length >= 3 * ISOLATES.length * EACH))
})

test('the control: a class that lost its storage under load begins again', { timeout: 900_000 }, async (t) => {
  const { got, deploy, serves } = await load(t, { object: 'now' })
  await serves()
  await deploy({ object: 'now', className: 'Renamed' })
  await serves()
  console.log(`deploys, the control: ${got.segment.length} of segment, ${twice(got.segment)} twice`)
  assert.ok(twice(got.segment) >= ISOLATES.length * EACH / 2)
})
