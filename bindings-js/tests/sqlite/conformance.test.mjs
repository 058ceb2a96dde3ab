// The conformance suite of a store, replayed over a file.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { conform } from 'leafid/testing'
import { scratch } from '../support/ends.mjs'
import { replayed } from '../support/filed.mjs'
import { inner } from '../support/package.mjs'
import { vectorFiles } from '../support/places.mjs'

const { sqliteStore: withClocks } = await inner('files/sqlite.js')
const fileOf = (t) => join(scratch(t), 'ids.db')

test('what a store must do, as its clock is set', async (t) => {
  let now = 0
  const create = { tags: { conform: { step: 10, max_step: 100 } }, namespaces: { conform: { workers: { start: 0, end: 4 } } } }
  const path = fileOf(t)
  const again = () => withClocks(path, { create }, { wall: () => now, up: () => 0 })
  const { passed } = await conform(again(), { setClock: (ms) => (now = ms), again })
  assert.equal(passed.length, 28)
})

const suite = () => JSON.parse(vectorFiles().find(({ name }) => name === 'registry').text)

test('conformance over a file', async (t) => {
  const { count, wrong } = await replayed(fileOf(t), suite())
  assert.deepEqual(wrong, [])
  assert.ok(count >= 40, `${count}`)
  console.log(`conformance: file ${count}`)
})

test('the control: a changed expectation is found', async (t) => {
  const { scripts } = suite()
  scripts[0].steps[0].gives.end += '1'
  assert.equal((await replayed(fileOf(t), { scripts: scripts.slice(0, 1) })).wrong.length, 1)
})
