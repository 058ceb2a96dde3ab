// `sqlite:` where Node has no SQLite; in a Node that has it: `tests/sqlite`.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Segment } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { refusal } from '../support/stores.mjs'

test('without SQLite the error names what brings it', { skip: process.getBuiltinModule?.('node:sqlite') && 'this Node has SQLite' }, async () => {
  const { code, message } = await refusal(() => new Segment('orders', { store: sqliteStore('ids.db', { create: true }) }).next())
  assert.equal(code, 'NOT_ENABLED')
  assert.match(message, /^`sqlite:` needs Node 22\.13 or later, which has `node:sqlite`, or the package better-sqlite3, got Node \d+\.\d+\.\d+: npm install better-sqlite3$/)
  assert.equal(existsSync('ids.db'), false)
})
