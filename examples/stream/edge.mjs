// Runs `worker.mjs` in workerd, through Miniflare, and sends it a request for each batch of IDs.

import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Miniflare } from 'miniflare'

import { Pace, draw, readOptions, say } from './pace.mjs'

const { store, tag, namespace, kinds, rate, timeoutMs } = readOptions()
const miniflare = new Miniflare({
  cf: false,
  compatibilityDate: '2026-04-01',
  modules: [...programs(['worker.mjs', 'lines.mjs']), ...installedPackage()],
  bindings: { STORE: store, TAG: tag, NAMESPACE: namespace, TIMEOUT_MS: String(timeoutMs) },
})

// The generators live in the isolate: a request names the wanted kinds.
const query = new URLSearchParams(kinds.map((kind) => ['kind', kind]))
const { headers } = await ask('/stats')
say([`hello edge ${headers.get('leafid-version')}`])
await draw(
  new Pace(rate / kinds.length),
  async (due) => say(await linesOf(`/draw`, due)),
  async () => say(await linesOf('/stats')),
)
say(await linesOf('/stats'))
await ask('/close')
say(['bye'])
await miniflare.dispose()
process.exit(0)

async function linesOf(path, count = 0) {
  const text = await (await ask(path, count)).text()
  return text === '' ? [] : text.split('\n')
}

async function ask(path, count = 0) {
  const answer = await miniflare.dispatchFetch(`http://edge${path}?${query}&count=${count}`)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** The neighbouring programs as modules of the Worker; the first one is its entry. */
function programs(names) {
  const here = dirname(fileURLToPath(import.meta.url))
  return names.map((name) => module('ESModule', name, join(here, name)))
}

/** The installed package, as a bundler finds it under the condition `workerd`. */
function installedPackage() {
  const folder = fileURLToPath(new URL('./node_modules/leafid/workerd', import.meta.url))
  return [
    { type: 'ESModule', path: 'leafid', contents: "export * from './packages/leafid/leafid.js'" },
    ...readdirSync(folder).map((file) => module(file.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule', `packages/leafid/${file}`, join(folder, file))),
  ]
}

function module(type, path, file) {
  return { type, path, contents: readFileSync(file) }
}
