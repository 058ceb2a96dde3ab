// Every program of the recipes, on the libraries themselves and with a real store.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { dist } from '../js/support/places.mjs'
import { startStore } from '../js/support/store.mjs'
import { report, root, run } from './lib/programs.mjs'

const page = readFileSync(join(dirname(dist), 'docs/RECIPES-NODE.md'), 'utf8')
const recipes = new Map(page.split(/^## /m).slice(1).map((text) => [/^.*/.exec(text)[0], [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, program]) => program)]))
// Beside `node_modules`, so that they import what is installed there.
const folder = join(root, 'recipes')
let store
let env

before(async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  store = await startStore()
  await store.createTag('orders')
  env = { LEAFID_STORE: store.url, PORT: '0', NO_COLOR: '1' }
})
after(async () => {
  await store.end()
  rmSync(folder, { recursive: true, force: true })
})

/** The programs of a recipe, each in the file that its first line names. */
function written(name) {
  return recipes.get(name).map((program, at) => {
    const file = join(folder, name, /^\/\/ (\S+\.js)/.exec(program)?.[1] ?? `${at}.mjs`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, program)
    if (file.endsWith('.js')) writeFileSync(join(folder, name, 'package.json'), '{ "type": "module" }')
    return file
  })
}

/** Requests to what a module gives; each report is a line of JSON. */
const asked = (file, program) => report(process.execPath, ['--input-type=module', '-e', `import * as recipe from '${pathToFileURL(file)}'\n${program}`], { env })

test('there is a recipe for each of them', () => {
  assert.deepEqual([...recipes.keys()], ['Drizzle', 'TypeORM', 'Kysely', 'Express', 'Hono', 'Next.js'])
})

const seen = new Set()
for (const name of ['Drizzle', 'TypeORM', 'Kysely']) {
  test(name, async () => {
    const [file] = written(name)
    const { stdout, stderr } = await run(process.execPath, [file], { env })
    assert.equal(stderr, '')
    const ids = [...stdout.matchAll(/\bid: '?(\d+)n?'?/g)].map(([, id]) => id)
    assert.deepEqual([ids.length, /tea[\s\S]*milk[\s\S]*bread/.test(stdout)], [3, true], stdout)
    for (const id of ids) assert.ok(!seen.has(id) && seen.add(id), `${id} twice`)
  })
}

test('Drizzle without `ready`: the control', async () => {
  const [file] = written('Drizzle')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/await (ids\.ready|db\.execute).*\n/g, ''))
  await assert.rejects(run(process.execPath, [file], { env }), /SEGMENT_DRY/)
})

test('Express, ended by SIGTERM', async () => {
  const [file] = written('Express')
  const child = spawn(process.execPath, [file], { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${/port (\d+)/.exec(line)[1]}/orders`
  const post = async () => {
    const response = await fetch(url, { method: 'POST', headers: { connection: 'close' } })
    return [response.status, (await response.json()).id]
  }
  const answers = await Promise.all(Array.from({ length: 200 }, post))
  assert.ok(answers.every(([status, id]) => status === 201 && /^\d+$/.test(id)))
  assert.equal(new Set(answers.map(([, id]) => id)).size, 200)
  const ends = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await ends, [0, null])
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
  const got = await asked(file, refused)
  env.LEAFID_STORE = store.url
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
