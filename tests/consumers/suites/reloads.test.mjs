// Development servers that reload a module after each change: nothing is drawn twice, and a module
// that does not keep its generator is warned.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createServer } from 'vite'
import { ending, remove, says, startNode, stop } from '../js/support/ends.mjs'
import { storeFor } from '../js/support/store.mjs'
import { root } from './lib/programs.mjs'

/** How often the module is changed. */
const CHANGES = 4
const PATIENCE_MS = 180_000

// Beside `node_modules`, so that imports find the installed packages.
const folder = join(root, 'reloads')
let store

before(async () => {
  remove(folder)
  mkdirSync(folder)
  ending(async () => remove(folder))
  const steps = { step: 100, max_step: 1_000 }
  store = await storeFor(undefined, { tags: { kept: steps, anew: steps } })
})
/** A module with three generators: one kept over reloads, one made by each load, and one with its own store. */
const module = (version) => `import { Segment, memoryStore } from 'leafid'
const store = process.env.LEAFID_STORE ?? ${JSON.stringify(store.url)}
const ids = {
  kept: (globalThis.keptIds ??= new Segment('kept', { store })),
  anew: new Segment('anew', { store }),
  own: new Segment('own', { store: memoryStore() }),
}
export async function draw() {
  const drawn = Object.entries(ids).map(async ([name, one]) => [name, (await one.take(50)).map(String)])
  return { version: ${version}, asks: ids.kept.stats().asks.toString(), ...Object.fromEntries(await Promise.all(drawn)) }
}
`

function place(name, files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, file, '..'), { recursive: true })
    writeFileSync(join(folder, name, file), text)
  }
  return (file) => join(folder, name, file)
}

/** Writes a file until `seen` notices it: file watchers skip a change that follows another too closely. */
async function changed(write, seen) {
  write()
  const again = setInterval(write, 1_000)
  try {
    await seen()
  } finally {
    clearInterval(again)
  }
}

/** Draws from each version of the module; `change` writes the next version. */
async function all(draw, change) {
  const told = []
  const drawn = (version) => async () => {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      told.push(await draw())
      if (told.at(-1).version === version) return
      assert.ok(Date.now() < end, `version ${version} did not come: ${JSON.stringify(told.at(-1)).slice(0, 200)}`)
      // Lets the writer and the watcher run.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  await drawn(1)()
  for (let version = 2; version <= CHANGES; version++) await changed(() => change(version), drawn(version))
  return told
}

/** Checks that no ID came twice, except from the stores that each load made. */
function judge(what, told) {
  const twice = (name) => {
    const ids = told.flatMap((one) => one[name])
    return ids.length - new Set(ids).size
  }
  console.log(`reloads: ${what}: ${told.length * 100} IDs, ${twice('kept') + twice('anew')} twice; with a store of their own ${twice('own')} of ${told.length * 50} twice`)
  assert.deepEqual([twice('kept'), twice('anew')], [0, 0])
  assert.ok(twice('own') >= 50 * (CHANGES - 1), 'the control')
}

const MANY = /2 generators in this process draw from the tag `anew` of one store, and each leases a range of its own/

test('Vite on a server', { timeout: 900_000 }, async (t) => {
  const at = place('vite', { 'ids.mjs': module(1) })
  const warned = []
  const hear = (warning) => warned.push(`${warning.code} ${warning.message}`)
  process.on('warning', hear)
  const vite = await createServer({ root: join(folder, 'vite'), configFile: false, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, ws: false }, optimizeDeps: { noDiscovery: true } })
  t.after(
    ending(async () => {
      process.off('warning', hear)
      await vite.close()
    }),
  )
  const draw = async () => (await vite.ssrLoadModule('/ids.mjs')).draw()
  judge('Vite', await all(draw, (version) => writeFileSync(at('ids.mjs'), module(version))))
  await new Promise(setImmediate)
  const ours = warned.filter((text) => text.startsWith('LEAFID_'))
  assert.equal(ours.length, 1, ours.join('\n'))
  assert.match(ours[0], MANY)
})

test('Next.js in development', { timeout: 900_000 }, async (t) => {
  const route = "import { draw } from '../../lib/ids.mjs'\nexport async function POST() {\n  return Response.json(await draw())\n}\n"
  const layout = 'export default function Layout({ children }) {\n  return children\n}\n'
  const at = place('next', {
    'package.json': '{ "type": "module" }',
    'next.config.mjs': "export default { serverExternalPackages: ['leafid'] }\n",
    'lib/ids.mjs': module(1),
    'app/layout.js': layout,
    'app/ids/route.js': route,
  })
  const next = join(root, 'node_modules/next/dist/bin/next')
  const env = { NEXT_TELEMETRY_DISABLED: '1', LEAFID_STORE: store.url, NO_COLOR: '1' }
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...clean } = process.env
  const child = startNode([next, 'dev', '--port', '0', '--hostname', '127.0.0.1'], { cwd: join(folder, 'next'), env: { ...clean, ...env }, detached: true })
  t.after(() => stop(child))
  const warned = says(child, MANY, PATIENCE_MS)
  const [, port] = await says(child, /127\.0\.0\.1:(\d+)\s/)
  const draw = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/ids`, { method: 'POST', headers: { connection: 'close' } })
    const text = await response.text()
    assert.equal(response.status, 200, text.slice(0, 500))
    return JSON.parse(text)
  }
  judge('Next.js', await all(draw, (version) => writeFileSync(at('lib/ids.mjs'), module(version))))
  await warned
})
