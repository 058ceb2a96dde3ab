// Node processes and a server on one file, some of them killed.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { drawn, duplicates } from '../support/drawn.mjs'
import { storeFor } from '../support/store.mjs'

const COUNT = 10_000

for (const kind of ['segment', 'snowflake']) {
  test(`four processes and a server: ${kind}`, { timeout: 900_000 }, async (t) => {
    const store = await storeFor(t, { tags: { orders: { step: 100, max_step: 1_000 } } })
    const path = join(store.folder, 'leafid.db')
    const seen = []
    const killed = [1, 2].map(() => drawn(path, kind, COUNT, seen, { killAt: COUNT / 2 }).then(() => drawn(path, kind, COUNT, seen)))
    await Promise.all([...[path, path, store.url].map((place) => drawn(place, kind, COUNT, seen)), ...killed])
    assert.ok(seen.length >= 6 * COUNT, `${seen.length}`)
    assert.equal(duplicates(`files: ${kind}`, seen), 0)
  })
}

test('the control: without the transaction there are duplicates', { timeout: 900_000 }, async (t) => {
  const { folder } = await storeFor(t, { tags: { orders: {} } })
  const seen = []
  await Promise.all([1, 2, 3].map(() => drawn(join(folder, 'leafid.db'), 'careless', COUNT, seen)))
  assert.ok(duplicates('files: careless', seen) > 0)
})
