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
import { startStore } from '../js/support/store.mjs'
import { until } from '../js/support/stores.mjs'
import { webpacked } from './lib/bundled.mjs'
import { startChromium } from './lib/chromium.mjs'
import { app } from './lib/programs.mjs'
import { startSite } from './lib/site.mjs'
import { Tally } from './lib/tally.mjs'

const folder = scratch(undefined, { name: 'leafid-pages-' })
const place = (name) => join(folder, name)
const reports = []
const tally = new Tally()
let store
let site
let browser

before(async () => {
  store = await startStore()
  await store.createTag('orders')
  site = await startSite({ folder, store: store.url, hear: (report) => reports.push(report) })
  browser = await startChromium()
})

/** A page that runs one script. */
function page(name, kind = 'module') {
  mkdirSync(place(name), { recursive: true })
  writeFileSync(join(place(name), 'index.html'), `<!doctype html><meta charset="utf-8"><title>leafid</title><script type="${kind}" src="main.js"></script>`)
}

/** Opens a page, and adds what it tells. */
async function draws(name) {
  const tab = await browser.page()
  await tab.goto(`${site.url}/${name}/`)
  await until(() => reports.length > 0)
  await tab.close()
  const [{ page, error, ...told }] = reports.splice(0)
  assert.deepEqual([page, error], [`/${name}/`, undefined])
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
  page('inline', 'text/javascript')
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
