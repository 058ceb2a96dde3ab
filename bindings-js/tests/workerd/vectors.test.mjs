// The vectors, replayed by the wasm engine inside workerd.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { vectorFiles } from '../support/places.mjs'
import { startWorker } from '../support/miniflare.mjs'

const source = `
import * as leafid from 'leafid'
import * as publicIds from 'leafid/public'
import * as registry from 'leafid/registry'
import * as testing from 'leafid/testing'
import { replay } from './vectors.mjs'
export default {
  async fetch(request) {
    return Response.json(await replay(leafid, { ...testing, registry, publicIds }, await request.json()))
  },
}`

let worker

before(async () => {
  const files = ['vectors.mjs', 'spelling.mjs'].map((name) => [name, readFileSync(new URL(`../support/${name}`, import.meta.url), 'utf8')])
  worker = await startWorker(source, { files: Object.fromEntries(files) })
})

for (const { name, text } of vectorFiles()) {
  test(`vectors: ${name}`, async () => {
    const response = await worker.fetch('/', { method: 'POST', body: text })
    const { count, wrong } = await response.json()
    assert.deepEqual(wrong, [])
    assert.ok(count > 0)
    console.log(`vectors: wasm ${name} ${count}`)
  })
}
