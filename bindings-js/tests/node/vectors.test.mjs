// The vectors, replayed by Node's engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as leafid from 'leafid'
import * as publicIds from 'leafid/public'
import * as registry from 'leafid/registry'
import * as testing from 'leafid/testing'
import { vectorFiles } from '../support/places.mjs'
import { replay } from '../support/vectors.mjs'

for (const { name, text } of vectorFiles()) {
  test(`vectors: ${name}`, async () => {
    const { count, wrong } = await replay(leafid, { ...testing, registry, publicIds }, JSON.parse(text))
    assert.deepEqual(wrong, [])
    assert.ok(count > 0)
    console.log(`vectors: node ${name} ${count}`)
  })
}
