// Runs every program of the recipes with the real libraries and a real store.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ending, remove, says, startNode, stop } from '../js/support/ends.mjs'
import { checkout } from '../js/support/places.mjs'
import { storeFor } from '../js/support/store.mjs'
import { report, root, run } from './lib/programs.mjs'

const page = readFileSync(join(checkout, 'docs/RECIPES-NODE.md'), 'utf8')
const recipes = new Map(page.split(/^## /m).slice(1).map((text) => [/^.*/.exec(text)[0], [...text.matchAll(/```(?:js|prisma)\n([\s\S]*?)```/g)].map(([, program]) => program)]))
// Beside `node_modules`, so that imports find the installed packages.
const folder = join(root, 'recipes')
let store
let env

before(async () => {
  remove(folder)
  mkdirSync(folder)
  ending(() => remove(folder))
  store = await storeFor(undefined, { tags: { orders: {} } })
  env = { LEAFID_STORE: store.url, PORT: '0', NO_COLOR: '1' }
})

/** Writes a recipe's programs, each into the file that its first line names. */
function written(name) {
  return recipes.get(name).map((program, at) => {
    const file = join(folder, name, /^\/\/ (\S+\.(?:js|mjs|prisma))\b/.exec(program)?.[1] ?? `${at}.mjs`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, program)
    if (file.endsWith('.js')) writeFileSync(join(folder, name, 'package.json'), '{ "type": "module" }')
    return file
  })
}

/** Sends requests to a module's export; each report is a line of JSON. */
const asked = (file, program) => report(process.execPath, ['--input-type=module', '-e', `import * as recipe from '${pathToFileURL(file)}'\n${program}`], { env })

test('there is a recipe for each of them', () => {
  assert.deepEqual([...recipes.keys()], ['Prisma', 'Drizzle', 'TypeORM', 'Kysely', 'Express', 'Hono', 'Next.js'])
})

const seen = new Set()

/** Runs a program that writes tea, milk and bread under IDs that no other program has. */
async function writesThree(file) {
  const { stdout, stderr } = await run(process.execPath, [file], { env })
  assert.equal(stderr, '')
  const ids = [...stdout.matchAll(/\bid: '?(\d+)n?'?/g)].map(([, id]) => id)
  assert.deepEqual([ids.length, /tea[\s\S]*milk[\s\S]*bread/.test(stdout)], [3, true], stdout)
  for (const id of ids) assert.ok(!seen.has(id) && seen.add(id), `${id} twice`)
}

for (const name of ['Drizzle', 'TypeORM', 'Kysely']) {
  test(name, async () => {
    const [file] = written(name)
    await writesThree(file)
  })
}

test('Prisma', async () => {
  const [schema, file] = written('Prisma')
  // Prisma's command would download its schema engine, which `generate` does not run: any program will do.
  const settings = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  const command = join(root, 'node_modules/prisma/build/index.js')
  await run(process.execPath, [command, 'generate', '--schema', schema], { cwd: dirname(schema), env: settings })
  await writesThree(file)
})

/** Starts a server; `post` sends it several requests at once, each of which must get its own ID. */
async function serving(words, { cwd = root } = {}) {
  const child = startNode(words, { cwd, env: { ...process.env, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const [, port] = await says(child, /(?:port |127\.0\.0\.1:)(\d+)\D/)
  const address = `http://127.0.0.1:${port}`
  const one = async () => {
    const response = await fetch(`${address}/orders`, { method: 'POST', headers: { connection: 'close' } })
    return [response.status, (await response.json()).id]
  }
  const post = async (count) => {
    const answers = await Promise.all(Array.from({ length: count }, one))
    assert.ok(answers.every(([status, id]) => status === 201 && /^\d+$/.test(id)), said)
    assert.equal(new Set(answers.map(([, id]) => id)).size, count)
  }
  const end = async (signal) => {
    await stop(child, signal)
    return [child.exitCode, child.signalCode]
  }
  return { post, end }
}

test('Express, ended by SIGTERM', async () => {
  const [file] = written('Express')
  const { post, end } = await serving([file])
  await post(200)
  assert.deepEqual(await end('SIGTERM'), [0, null])
})

test('Hono', async () => {
  const [file] = written('Hono')
  const program = `const app = recipe.default
    const answers = await Promise.all(Array.from({ length: 200 }, () => app.request('/orders', { method: 'POST' })))
    const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).id))
    console.log(JSON.stringify([answers.every(({ status }) => status === 201), new Set(ids).size]))`
  assert.deepEqual(await asked(file, program), [true, 200])
  env.LEAFID_STORE = `${store.url}/nowhere`
  const refused = `const answer = await recipe.default.request('/orders', { method: 'POST' })
    console.log(JSON.stringify([answer.status, await answer.json()]))`
  const got = await asked(file, refused).finally(() => (env.LEAFID_STORE = store.url))
  assert.deepEqual(got, [503, { code: 'REQUEST_INVALID' }])
})

test('Next.js: the route, and a module that is loaded again', async () => {
  const [lib, route] = written('Next.js')
  const program = `const again = await import('${pathToFileURL(lib)}?again')
    const answers = [await recipe.POST(), await recipe.POST()]
    const ids = await Promise.all(answers.map(async (answer) => [answer.status, (await answer.json()).id]))
    console.log(JSON.stringify([ids[0][0], new Set(ids.map(String)).size, again.orders === globalThis.orders, again.orders.stats().asks]))`
  assert.deepEqual(await asked(route, program), [201, 2, true, 1])
})

test('Next.js itself: built, and serving', async () => {
  const [lib] = written('Next.js')
  const folder = dirname(dirname(lib))
  const next = join(root, 'node_modules/next/dist/bin/next')
  const settings = { NEXT_TELEMETRY_DISABLED: '1' }
  await run(process.execPath, [next, 'build'], { cwd: folder, env: settings })
  const { post, end } = await serving([next, 'start', '--port', '0', '--hostname', '127.0.0.1'], { cwd: folder })
  try {
    await post(200)
  } finally {
    await end('SIGTERM')
  }
})
