// `sqlite:` where Node has no SQLite; in a Node that has it: `tests/sqlite`.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Segment } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { refuses } from '../support/stores.mjs'

test('without SQLite the error names what brings it', { skip: process.getBuiltinModule?.('node:sqlite') && 'this Node has SQLite' }, async () => {
  await refuses(() => new Segment('orders', { store: sqliteStore('ids.db', { create: true }) }).next(), 'NOT_ENABLED', /^`sqlite:` needs Node 22\.13 or later, which has `node:sqlite`, or the package better-sqlite3, got Node \d+\.\d+\.\d+: npm install better-sqlite3$/)
  assert.equal(existsSync('ids.db'), false)
})
