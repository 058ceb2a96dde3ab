// The first ID of a new Worker: the time from the import of leafid to an ID leased from a local Durable Object, beside
// the same Worker that asks an object for a bare number, also stored before the answer. Each round has its own runtime
// and storage. Where only the Worker is to be new, another Worker of that runtime has asked the object before.
//
// `cargo xtask bench --only cold` runs it beside the installed packages and the Worker's starter.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { table } from './rounds.mjs'
import { DATE, FRONT, startMiniflare } from './tests/support/miniflare.mjs'
import { root } from './tests/support/package.mjs'

const ROUNDS = 11

const OBJECTS = `
import { DurableObject } from 'cloudflare:workers'
import { LeafidObject } from 'leafid/workers'

export class Ids extends LeafidObject {
  static tags = { orders: { from: '1' } }
}

export class Bare extends DurableObject {
  next() {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)')
    sql.exec('INSERT OR IGNORE INTO row VALUES (1, 0)')
    return sql.exec('UPDATE row SET number = number + 1 RETURNING number').one().number
  }
  remembered() {
    this.number = (this.number ?? 0) + 1
    return this.number
  }
}

export default { fetch: () => new Response('here are the objects') }
`

const APP = `
import { env } from 'cloudflare:workers'

const object = () => env.BARE.get(env.BARE.idFromName('orders'))
const bare = async () => String(await object().next())

const WORKS = {
  bare,
  remembered: async () => String(await object().remembered()),
  async imported() {
    await import('leafid')
    return bare()
  },
  async first(kind) {
    const { Segment, Snowflake } = await import('leafid')
    const { durableObjectStore } = await import('leafid/workers')
    const store = durableObjectStore('IDS')
    const ids = kind === 'segment' ? new Segment('orders', { store }) : new Snowflake('default', { store })
    return String(await ids.next())
  },
}
WORKS.segment = () => WORKS.first('segment')
WORKS.snowflake = () => WORKS.first('snowflake')

export default {
  fetch: async (request) => new Response(await WORKS[new URL(request.url).pathname.slice(1)]())
}
`

/** Bundles a Worker as wrangler does: one file, with the wasm beside it. */
async function bundled(contents) {
  const wasm = []
  const beside = ({ onResolve }) =>
    onResolve({ filter: /\.wasm$/ }, ({ path }) => {
      wasm.push(basename(path))
      return { path: `./${basename(path)}`, external: true }
    })
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*'],
    plugins: [{ name: 'wasm', setup: beside }],
    write: false,
    logLevel: 'error',
  })
  return {
    modules: [
      { type: 'ESModule', path: 'main.js', contents: outputFiles[0].text },
      ...[...new Set(wasm)].map((path) => ({ type: 'CompiledWasm', path, contents: readFileSync(join(root, 'workerd', path)) })),
    ],
    compatibilityDate: DATE,
  }
}
const [app, objects] = await Promise.all([bundled(APP), bundled(OBJECTS)])

/** Measures the first request of a Worker, in ms; with `others`, after another Worker's requests. */
async function cold(work, others = []) {
  const folder = mkdtempSync(join(tmpdir(), 'leafid-cold-'))
  const durable = (own) =>
    Object.fromEntries([['IDS', 'Ids'], ['BARE', 'Bare']].map(([name, className]) => [name, { className, useSQLite: true, ...own }]))
  const front = { name: 'front', modules: true, script: FRONT, compatibilityDate: DATE, serviceBindings: { app: 'app', other: 'other' } }
  const asking = (name) => ({ ...app, name, durableObjects: durable({ scriptName: 'objects' }) })
  const runtime = await startMiniflare({
    cf: false,
    durableObjectsPersist: folder,
    workers: [
      ...(others.length === 0 ? [] : [front, asking('other')]),
      asking('app'),
      { ...objects, name: 'objects', durableObjects: durable({}) },
    ],
  })
  const asked = async (path) => {
    const response = await fetch(new URL(path, runtime.url))
    const text = await response.text()
    if (response.status !== 200 || !/^\d+$/.test(text)) throw new Error(text)
  }
  try {
    for (const other of others) await asked(`/other/${other}`)
    const begin = performance.now()
    await asked(others.length === 0 ? `/${work}` : `/app/${work}`)
    return performance.now() - begin
  } finally {
    await runtime.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

const BARE = { name: 'a bare number from an object (the floor)', work: 'bare' }
const REMEMBERED = { name: 'one that the object only remembers', work: 'remembered' }
const LEAFID = [
  { name: 'the same as the floor, and `import` of leafid', work: 'imported' },
  { name: '`import` and the first number of a segment', work: 'segment' },
  { name: '`import` and the first snowflake', work: 'snowflake' },
]
for (const [title, works, others] of [
  ['a Worker that was just started, and an object that is made', [BARE, REMEMBERED, ...LEAFID]],
  ['a Worker that was just started, and an object that runs', [BARE, ...LEAFID], ['bare', 'segment', 'snowflake']],
]) {
  // The first one reads all files into the cache.
  await cold('bare', others)
  await table(title, 'ms', ROUNDS, works, ({ work }) => cold(work, others))
}
