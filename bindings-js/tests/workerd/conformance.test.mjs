// The conformance suite of a store, replayed over a Durable Object and over D1, in workerd.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { scratch } from '../support/ends.mjs'
import { startMiniflare } from '../support/miniflare.mjs'
import { vectorFiles } from '../support/places.mjs'
import { makeDatabase, runtime } from '../support/runtime.mjs'

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8')
const suite = vectorFiles().find(({ name }) => name === 'registry').text
let worker

before(async () => {
  const files = { 'tables.mjs': read('../support/tables.mjs'), 'vectors.mjs': read('../support/vectors.mjs') }
  worker = await startMiniflare(runtime(read('./conformance-worker.mjs'), scratch(), { isolates: ['a'], files, objects: { IDS: 'Ids', CONFORM: 'Conform' } }))
  await makeDatabase(worker.miniflare)
})

const replayed = async (store, text) => (await worker.fetch(`/a/?store=${store}`, { method: 'POST', body: text })).json()

for (const store of ['object', 'd1']) {
  test(`conformance over ${store}`, async () => {
    const { count, wrong } = await replayed(store, suite)
    assert.deepEqual(wrong, [])
    assert.ok(count >= 40, `${count}`)
    console.log(`conformance: ${store} ${count}`)
  })

  test(`what a store must do, over ${store}`, async () => {
    const { passed, skipped, message } = await (await worker.fetch(`/a/?conform=${store}`)).json()
    assert.deepEqual([passed?.length, skipped], [24, {}], message)
  })

  test(`the control: a changed expectation is found over ${store}`, async () => {
    const { scripts } = JSON.parse(suite)
    const wanted = scripts[0].steps[0].gives
    wanted.end = String(BigInt(wanted.end) + 1n)
    const { wrong } = await replayed(store, JSON.stringify({ scripts: scripts.slice(0, 1) }))
    assert.equal(wrong.length, 1)
  })
}
