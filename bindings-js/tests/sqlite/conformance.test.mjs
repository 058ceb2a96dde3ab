// The conformance suite of a store, replayed over a file.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import * as leafid from 'leafid'
import 'leafid/registry'
import { sqliteStore } from 'leafid/node'
import { conform } from 'leafid/testing'
import { scratch } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'
import { vectorFiles } from '../support/places.mjs'
import { storeOver } from '../support/tables.mjs'
import { replay } from '../support/vectors.mjs'

const files = ['sql/work.js', 'sql/run.js', 'files/driver.js']
const [{ Works }, { runNear }, { Connection }] = await Promise.all(files.map(inner))
const { sqliteStore: withClocks } = await inner('files/sqlite.js')

async function replayed(t, file) {
  const path = join(scratch(t), 'ids.db')
  await new leafid.Segment('any', { store: sqliteStore(path, { create: { tags: { any: {} } } }) }).next()
  const connection = new Connection(path)
  return replay(leafid, {}, file, { store: storeOver((begin) => runNear(connection, begin), { Works }) })
}

test('what a store must do, as its clock is set', async (t) => {
  let now = 0
  const create = { tags: { conform: { step: 10, max_step: 100 } }, namespaces: { conform: { workers: { start: 0, end: 4 } } } }
  const store = withClocks(join(scratch(t), 'ids.db'), { create }, { wall: () => now, ticking: () => 0 })
  const { passed } = await conform(store, { setClock: (ms) => (now = ms) })
  assert.equal(passed.length, 25)
})

const suite = () => JSON.parse(vectorFiles().find(({ name }) => name === 'registry').text)

test('conformance over a file', async (t) => {
  const { count, wrong } = await replayed(t, suite())
  assert.deepEqual(wrong, [])
  assert.ok(count >= 40, `${count}`)
  console.log(`conformance: file ${count}`)
})

test('the control: a changed expectation is found', async (t) => {
  const { scripts } = suite()
  scripts[0].steps[0].gives.end += '1'
  assert.equal((await replayed(t, { scripts: scripts.slice(0, 1) })).wrong.length, 1)
})
