// Programs for Node that a bundler made one file of: they draw from one real store, and no number twice.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import nodeResolve from '@rollup/plugin-node-resolve'
import * as esbuild from 'esbuild'
import { rollup } from 'rollup'
import { build as vite } from 'vite'
import { scratch } from '../js/support/ends.mjs'
import { startStore } from '../js/support/store.mjs'
import { webpacked } from './lib/bundled.mjs'
import { app, report } from './lib/programs.mjs'
import { Tally } from './lib/tally.mjs'

const tally = new Tally()
const folder = scratch(undefined, { name: 'leafid-bundled-' })
let store

before(async () => {
  store = await startStore()
  await store.createTag('orders')
})

/** Runs a bundle where there is no `node_modules`, as on the machine that it is copied to. */
async function draws(file, engine = 'wasm') {
  const told = tally.add(await report(process.execPath, [file], { cwd: folder, env: { LEAFID_STORE: store.url } }))
  assert.equal(told.engine, engine)
}

for (const format of ['esm', 'cjs']) {
  test(`esbuild, ${format}`, async () => {
    const outfile = join(folder, `esbuild.${format === 'esm' ? 'mjs' : 'cjs'}`)
    await esbuild.build({ entryPoints: [app('node.mjs')], bundle: true, platform: 'node', format, outfile, minify: true, logLevel: 'error' })
    await draws(outfile)
  })
}

test('webpack', async () => {
  const output = { path: folder, filename: 'webpack.cjs' }
  await webpacked({ target: 'node20', entry: app('node.mjs'), output })
  // Its bundle goes on looking where the sources were, and here that is still there.
  await draws(join(folder, 'webpack.cjs'), 'native')
})

test('Rollup', async () => {
  const said = []
  const bundle = await rollup({
    input: app('node.mjs'),
    external: /^node:/,
    plugins: [nodeResolve({ exportConditions: ['node'] })],
    onwarn: ({ message }) => said.push(message),
  })
  const file = join(folder, 'rollup.mjs')
  await bundle.write({ file, format: 'es', inlineDynamicImports: true })
  await bundle.close()
  assert.deepEqual(said, [])
  await draws(file)
})

test('Vite, for a server', async () => {
  await vite({
    root: folder,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: app('node.mjs'), outDir: join(folder, 'vite'), rollupOptions: { output: { entryFileNames: 'main.mjs' } } },
  })
  await draws(join(folder, 'vite/main.mjs'))
})

test('together they drew no number twice', () => tally.settle(5))
