// Pages in Chromium, from every bundler: they draw from one real store behind a route of their own origin.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import nodeResolve from '@rollup/plugin-node-resolve'
import * as esbuild from 'esbuild'
import { rollup } from 'rollup'
import { build as vite } from 'vite'
import { before, test } from '../js/support/chromium.mjs'
import { scratch } from '../js/support/ends.mjs'
import { vectorFiles } from '../js/support/places.mjs'
import { startStore } from '../js/support/store.mjs'
import { webpacked } from './lib/bundled.mjs'
import { startChromium } from './lib/chromium.mjs'
import { app } from './lib/programs.mjs'
import { startSite } from './lib/site.mjs'
import { Tally } from './lib/tally.mjs'
import { watched, within } from './lib/waiting.mjs'

const folder = scratch(undefined, { name: 'leafid-pages-' })
const place = (name) => join(folder, name)
const folders = Object.fromEntries(['esbuild', 'inline', 'webpack', 'rollup', 'vite', 'tab', 'page'].map((name) => [name, place(name)]))
const heard = { hear: () => {} }
const tally = new Tally()
let store
let site
let browser

before(async () => {
  store = await startStore()
  await store.createTag('orders')
  await store.createTag('tabs', { step: 100, max_step: 1_000 })
  folders.vectors = place('vectors')
  site = await startSite({ folders, store: store.url, hear: (told) => heard.hear(told) })
  browser = await startChromium()
})

/** A page that runs one script. */
function page(name, { kind = 'module', script = 'main.js' } = {}) {
  mkdirSync(place(name), { recursive: true })
  writeFileSync(join(place(name), 'index.html'), `<!doctype html><meta charset="utf-8"><title>leafid</title><script type="${kind}" src="${script}"></script>`)
}

/** Opens a page, and gives what it tells. */
async function tells(name, query = '') {
  const told = new Promise((resolve) => (heard.hear = (report) => report.page === `/${name}/` && resolve(report)))
  const tab = await browser.page()
  await tab.goto(`${site.url}/${name}/${query}`)
  const report = await within(told, `report of ${name}`, browser.wrong)
  await tab.close()
  assert.equal(report.error, undefined)
  return report
}

async function draws(name) {
  const { page: _, ...told } = await tells(name)
  assert.equal(tally.add(told).engine, 'wasm')
}

const bundled = (entry, name, more) =>
  esbuild.build({ entryPoints: [app(entry)], bundle: true, platform: 'browser', format: 'esm', target: 'es2022', outfile: join(place(name), 'main.js'), logLevel: 'error', ...more })

test('esbuild: it leaves the wasm files behind, and the copies in the code take their place', async () => {
  page('esbuild')
  await bundled('browser.mjs', 'esbuild')
  await draws('esbuild')
  const missing = site.missing.filter((path) => path.endsWith('.wasm'))
  assert.deepEqual(missing.sort(), ['/wasm/engine.wasm', '/wasm/public.wasm', '/wasm/registry.wasm'])
})

test('esbuild, one plain script with `leafid/inline`', async () => {
  page('inline', { kind: 'text/javascript' })
  const before = site.missing.length
  await bundled('inline.mjs', 'inline', { format: 'iife' })
  await draws('inline')
  assert.deepEqual(site.missing.slice(before).filter((path) => path.endsWith('.wasm')), [])
})

test('webpack', async () => {
  page('webpack')
  const output = { path: place('webpack'), filename: 'main.js', publicPath: 'auto' }
  await webpacked({ target: 'web', entry: app('browser.mjs'), output, performance: false })
  await draws('webpack')
})

test('Rollup', async () => {
  page('rollup')
  const bundle = await rollup({ input: app('browser.mjs'), plugins: [nodeResolve({ browser: true })] })
  await bundle.write({ dir: place('rollup'), entryFileNames: 'main.js', format: 'es' })
  await bundle.close()
  await draws('rollup')
})

test('Vite', async () => {
  const root = place('vite-source')
  mkdirSync(root)
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>leafid</title><script type="module" src="./main.js"></script>')
  writeFileSync(join(root, 'main.js'), `import ${JSON.stringify(app('browser.mjs'))}\n`)
  await vite({ root, base: './', configFile: false, logLevel: 'error', build: { outDir: place('vite') } })
  assert.ok(readdirSync(join(place('vite'), 'assets')).some((file) => file.endsWith('.wasm')))
  await draws('vite')
})

test('together they drew no number twice', () => tally.settle(5))

test('the vectors', async () => {
  page('page')
  await bundled('vectors.mjs', 'page')
  const files = vectorFiles()
  mkdirSync(place('vectors'))
  for (const { name, text } of files) writeFileSync(join(place('vectors'), `${name}.json`), text)
  const { counts, wrong } = await tells('page', `?names=${files.map(({ name }) => name).join(',')}`)
  assert.deepEqual(wrong, [])
  assert.deepEqual(counts, Object.fromEntries(files.map(({ name, text }) => [name, JSON.parse(text).scripts.length])))
})

/** Five tabs that draw at once, three of which are closed as they draw and opened again: all that they told. */
async function tabs(query) {
  const got = { numbers: [], stamps: [] }
  const batches = new Map()
  const errors = []
  const { look, until } = watched()
  heard.hear = ({ tab, numbers = [], stamps = [], error }) => {
    if (error !== undefined) errors.push(error)
    got.numbers.push(...numbers)
    got.stamps.push(...stamps)
    batches.set(tab, (batches.get(tab) ?? 0) + 1)
    look()
  }
  const come = (isSo, what) => within(until(isSo), what, browser.wrong)
  const open = async (name) => {
    const tab = await browser.page()
    await tab.goto(`${site.url}/tab/?tab=${name}${query}`)
    return tab
  }
  const names = ['a', 'b', 'c', 'd', 'e']
  const all = await Promise.all(names.map(open))
  for (let life = 0; life < 3; life++) {
    const before = new Map(batches)
    await come(() => names.every((name) => (batches.get(name) ?? 0) >= (before.get(name) ?? 0) + 2), `batches of life ${life}`)
    for (const at of [0, 1, 2]) {
      await all[at].close()
      all[at] = await open(names[at])
    }
  }
  const last = new Map(batches)
  await come(() => names.every((name) => batches.get(name) > last.get(name)), 'batches after the last opening')
  await Promise.all(all.map((tab) => tab.close()))
  heard.hear = () => {}
  assert.deepEqual(errors, [])
  const twice = (ids) => ids.length - new Set(ids).size
  return { ids: got.numbers.length, numbers: twice(got.numbers), stamps: twice(got.stamps) }
}

test('five tabs that share one store draw nothing twice, closed and opened again', async () => {
  page('tab')
  await bundled('tab.mjs', 'tab')
  const { ids, numbers, stamps } = await tabs('')
  assert.ok(ids >= 3_500, `only ${ids} IDs`)
  assert.deepEqual([numbers, stamps], [0, 0])
})

test('the control: tabs with a store each draw the same numbers', async () => {
  const { ids, numbers } = await tabs('&store=memory:')
  assert.ok(numbers > ids / 2, `${numbers} of ${ids}`)
})
