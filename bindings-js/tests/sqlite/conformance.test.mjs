// The conformance checks, over a file.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { conform } from 'leafid/testing'
import { scratch } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'

const { sqliteStore: withClocks } = await inner('files/sqlite.js')

test('what a store must do, as its clock is set', async (t) => {
  let now = 0
  const create = { tags: { conform: { step: 10, max_step: 100 } }, namespaces: { conform: { workers: { start: 0, end: 4 } } } }
  const path = join(scratch(t), 'ids.db')
  const again = () => withClocks(path, { create }, { wall: () => now, ticking: () => 0 })
  const { passed } = await conform(again(), { setClock: (ms) => (now = ms), again })
  assert.equal(passed.length, 28)
})
