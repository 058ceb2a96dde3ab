// Declarations of a Durable Object class and of a D1 store: each holds, or is refused by name.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { remove, scratch } from '../support/ends.mjs'
import { startMiniflare } from '../support/miniflare.mjs'
import { makeDatabase, runtime } from '../support/runtime.mjs'

const source = readFileSync(new URL('./declared-worker.mjs', import.meta.url), 'utf8')
const objects = { LOW: 'Low', HIGH: 'High', ALIKE: 'Alike', MISSPELT: 'Misspelt' }
const databases = { DB: 'low', HIGH_DB: 'high', ALIKE_DB: 'alike' }

async function started(t) {
  const folder = scratch()
  const { miniflare, fetch, end } = await startMiniflare(runtime(source, folder, { isolates: ['a'], objects, databases }))
  t.after(async () => {
    await end()
    remove(folder)
  })
  for (const binding of Object.keys(databases)) await makeDatabase(miniflare, binding)
  return async (what) => (await fetch(`/a/?${new URLSearchParams(what)}`)).json()
}

for (const kind of ['object', 'd1']) {
  test(`worker numbers that are split by declaration over two stores: nothing comes twice; declared alike it does: ${kind}`, { timeout: 600_000 }, async (t) => {
    const ask = await started(t)
    const drawn = async (of, enough) => {
      const ids = []
      while (ids.length < 10_000 || !enough(ids)) ids.push(...(await ask({ act: 'draw', kind, of, rounds: 5 })))
      console.log(`declared, ${kind}, ${of}: ${ids.length} IDs, ${twice(ids)} duplicates`)
      return twice(ids)
    }
    const twice = (ids) => ids.length - new Set(ids).size
    assert.equal(await drawn('low,high', () => true), 0)
    assert.ok((await drawn('low,alike', (ids) => twice(ids) > 0)) > 0)
  })
}

test('a declaration that cannot be: of D1 when it is given, of an object when it is asked first, for whatever', async (t) => {
  const { d1, object } = await (await started(t))({ act: 'cannotBe' })
  const messages = [
    'tag `orders`: unknown field `maxStep`: fields are `from`, `step`, `max_step`, `until`',
    "tag `orders`: `step` must be a whole number from 1 to 2147483647, got `'a'`",
    'namespace `default`: its declaration must be an object, got `5`',
    'namespace `default`: unknown field `layuot`: fields are `layout`, `workers`, `max_window_ms`',
  ]
  assert.deepEqual(d1.map(({ message }) => message), messages)
  assert.deepEqual([object.code, object.message], ['REQUEST_INVALID', messages[3]])
})
