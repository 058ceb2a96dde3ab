// Bundled programs: for Node, run without `node_modules`, and pages in Chromium, with the store behind their origin.
// They draw from one real store, and no number twice.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import nodeResolve from '@rollup/plugin-node-resolve'
import * as esbuild from 'esbuild'
import { rollup } from 'rollup'
import { build } from 'vite'
import webpack from 'webpack'
import { CHROMIUM, test as pageTest } from '../js/support/chromium.mjs'
import { scratch } from '../js/support/ends.mjs'
import { storeFor } from '../js/support/store.mjs'
import { until } from '../js/support/stores.mjs'
import { startChromium } from './lib/chromium.mjs'
import { app, report, root } from './lib/programs.mjs'
import { startSite } from './lib/site.mjs'
import { Tally } from './lib/tally.mjs'

const folder = scratch(undefined, { name: 'leafid-bundled-' })
const place = (...names) => join(folder, ...names)
const reports = []
const tally = new Tally()
let store
let site
let browser

before(async () => {
  store = await storeFor(undefined, { tags: { orders: {} } })
  site = await startSite({ folder, store: store.url, hear: (report) => reports.push(report) })
  if (CHROMIUM.executablePath !== undefined) browser = await startChromium()
})

async function webpacked(options) {
  const compiler = webpack({ mode: 'production', ...options })
  const stats = await new Promise((resolve, reject) => compiler.run((error, done) => (error ? reject(error) : resolve(done))))
  const { errors, warnings } = stats.toJson({ errors: true, warnings: true })
  assert.deepEqual([errors, warnings], [[], []], 'it has nothing to say')
}

async function rolled({ input, plugins, ...output }) {
  const said = []
  const bundle = await rollup({ input, external: /^node:/, plugins, onwarn: ({ message }) => said.push(message) })
  await bundle.write({ format: 'es', ...output })
  await bundle.close()
  assert.deepEqual(said, [])
}

const bundled = (entry, outfile, more) => esbuild.build({ entryPoints: [app(entry)], bundle: true, outfile, logLevel: 'error', ...more })
const vite = (options) => build({ configFile: false, logLevel: 'error', ...options })

/** Bundlers of programs for Node: the bundle's file, and how to make it. */
const PROGRAMS = {
  'esbuild, esm': ['esbuild.mjs', (file) => bundled('node.mjs', file, { platform: 'node', format: 'esm', minify: true })],
  'esbuild, cjs': ['esbuild.cjs', (file) => bundled('node.mjs', file, { platform: 'node', format: 'cjs', minify: true })],
  webpack: ['webpack.cjs', () => webpacked({ target: 'node20', entry: app('node.mjs'), output: { path: folder, filename: 'webpack.cjs' } })],
  Rollup: ['rollup.mjs', (file) => rolled({ input: app('node.mjs'), plugins: [nodeResolve({ exportConditions: ['node'] })], file, inlineDynamicImports: true })],
  Vite: [
    'vite/main.mjs',
    () => vite({ root: folder, ssr: { noExternal: true }, build: { ssr: app('node.mjs'), outDir: place('vite'), rollupOptions: { output: { entryFileNames: 'main.mjs' } } } }),
  ],
}

for (const [name, [file, make]] of Object.entries(PROGRAMS)) {
  test(`${name}, for Node`, async () => {
    await make(place(file))
    tally.add(await report(process.execPath, [place(file)], { cwd: folder, env: { LEAFID_STORE: store.url } }))
  })
}

/** All that a page needs to be allowed, besides its own scripts and requests: no `eval`. */
const ALLOWED = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

/** Runs a page with one script, written by `make`, which requests nothing but its scripts. */
async function draws(name, make, kind = 'module') {
  mkdirSync(place(name))
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${ALLOWED}"><title>leafid</title>`
  writeFileSync(place(name, 'index.html'), `<!doctype html>${head}<script type="${kind}" src="./main.js"></script>`)
  await make(place(name))
  site.missing.length = 0
  const tab = await browser.page()
  await tab.goto(`${site.url}/${name}/`)
  await until(() => reports.length > 0)
  await tab.close()
  const [{ page, error, ...told }] = reports.splice(0)
  assert.deepEqual([page, error], [`/${name}/`, undefined])
  tally.add(told)
  assert.deepEqual(site.missing.filter((path) => path !== '/favicon.ico'), [])
}

const paged = (entry, format) => (to) => bundled(entry, join(to, 'main.js'), { platform: 'browser', format, target: 'es2022' })

pageTest('esbuild, a page', () => draws('esbuild', paged('browser.mjs', 'esm')))

pageTest('esbuild, a page of one plain script', () => draws('plain', paged('browser.mjs', 'iife'), 'text/javascript'))

// esbuild wraps the modules that a CommonJS file requires in functions, which cannot await while they load.
pageTest('esbuild, a page whose script is CommonJS, as in a folder of `npm init -y`', () =>
  draws('common', (to) => {
    const contents = `const { draw } = require(${JSON.stringify(app('draw.mjs'))})\nrequire(${JSON.stringify(app('tell.mjs'))}).tell(draw)`
    return esbuild.build({ stdin: { contents, loader: 'js', resolveDir: folder }, bundle: true, format: 'esm', outfile: join(to, 'main.js'), logLevel: 'error' })
  }))

pageTest('webpack, a page', () =>
  draws('webpack', (path) => webpacked({ target: 'web', entry: app('browser.mjs'), output: { path, filename: 'main.js', publicPath: 'auto' }, performance: false })))

pageTest('Rollup, a page', () => draws('rollup', (dir) => rolled({ input: app('browser.mjs'), plugins: [nodeResolve({ browser: true })], dir, entryFileNames: 'main.js' })))

pageTest('Vite, a page', () =>
  draws('vite-page', async (outDir) => {
    const root = place('vite-source')
    mkdirSync(root)
    writeFileSync(join(root, 'index.html'), '<!doctype html><title>leafid</title><script type="module" src="./main.js"></script>')
    writeFileSync(join(root, 'main.js'), `import ${JSON.stringify(app('browser.mjs'))}\n`)
    await vite({ root, base: './', build: { outDir, emptyOutDir: true } })
  }))

/** Programs, and the wasm files that they use. */
const USED = {
  "import { Segment } from 'leafid'; new Segment('orders')": ['engine'],
  "import { memoryStore } from 'leafid'; memoryStore()": ['engine', 'registry'],
  "import { tagRow } from 'leafid/registry'; tagRow()": ['engine', 'registry'],
  "import 'leafid/testing'": ['engine', 'registry'],
  "import { Scrambler } from 'leafid/public'; new Scrambler()": ['public'],
  "import { d1Store } from 'leafid/workers'; d1Store()": ['engine', 'stores'],
}

for (const [program, used] of Object.entries(USED)) {
  test(`a bundle has the wasm that it uses: ${program}`, async () => {
    for (const host of program.includes('/workers') ? ['workerd'] : ['workerd', 'browser']) {
      const options = { bundle: true, format: 'esm', write: false, metafile: true, external: ['cloudflare:*', '*.wasm'], logLevel: 'error' }
      const { metafile } = await esbuild.build({ ...options, stdin: { contents: program, resolveDir: root }, conditions: host === 'workerd' ? [host] : [], platform: 'browser' })
      const [{ imports, inputs }] = Object.values(metafile.outputs)
      const files = [...imports.map(({ path }) => path), ...Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0)]
      const names = files.flatMap((path) => /([\w-]+)\.wasm(\.js)?$/.exec(path)?.[1] ?? [])
      assert.deepEqual([...new Set(names)].sort(), used, host)
    }
  })
}

test('together they drew no number twice', () => tally.settle(CHROMIUM.executablePath === undefined ? 5 : 11))
