// Stores over an application's open database: of `node:sqlite`, or of `better-sqlite3` where Node has none.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { Segment, Snowflake } from 'leafid'
import { sqlStore, sqliteStore } from 'leafid/node'
import { scratch } from '../support/ends.mjs'
import { leafid } from '../support/store.mjs'
import { refusal, refuses } from '../support/stores.mjs'

const builtin = process.getBuiltinModule?.('node:sqlite')
const open = (path) => (builtin === undefined ? createRequire(import.meta.url)('better-sqlite3')(path) : new builtin.DatabaseSync(path))
const TOKEN = '01'.repeat(16)
const lease = { tag: 'orders', request: TOKEN }
const create = { tags: { orders: { from: '9007199254740993', step: 10 } } }

const place = (t) => join(scratch(t), 'ids.db')

const opened = (t, path = place(t)) => {
  const database = open(path)
  t.after(() => database.close())
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  return { database, path }
}

test('the same store as by its path and by the server’s program', async (t) => {
  const { database, path } = opened(t)
  const store = sqlStore(database, { create })
  assert.equal(store.leaseSegment(lease).start, 9007199254740993n)
  assert.equal(sqliteStore(path).leaseSegment(lease).start, 9007199254741003n)
  assert.equal(sqlStore(opened(t, path).database).leaseSegment(lease).start, 9007199254741013n)
  leafid('tag', 'create', 'fresh', '--store', `sqlite:${path}`)
  assert.equal(new Segment('fresh', { store }).nextSync(), 1n)
  const ids = new Snowflake('default', { store, owner: `o'brien`, sticky: true })
  assert.equal(typeof ids.nextSync(), 'bigint')
  await ids.close()
})

test('a database inside a transaction is refused, and the transaction goes on', (t) => {
  const { database } = opened(t)
  const store = sqlStore(database, { create })
  const { start } = store.leaseSegment(lease)
  const others = [store, sqlStore(database)]
  database.exec('BEGIN; CREATE TABLE own (n); INSERT INTO own VALUES (1)')
  for (const other of others) {
    assert.throws(() => other.leaseSegment(lease), { code: 'STORE_REFUSED', message: /SQLite connection is inside a transaction/ })
  }
  database.exec('INSERT INTO own VALUES (2); COMMIT')
  assert.equal(Number(Object.values(database.prepare('SELECT count(*) FROM own').all()[0])[0]), 2)
  for (const other of others) assert.ok(other.leaseSegment(lease).start > start)
})

test('temporary tables and triggers of a connection are refused', (t) => {
  const { database, path } = opened(t)
  const store = sqlStore(database, { create })
  const { start } = store.leaseSegment(lease)
  const shadows = [
    ['CREATE TEMP TABLE tags AS SELECT * FROM main.tags', 'DROP TABLE temp.tags'],
    ['CREATE TEMP TRIGGER undo AFTER UPDATE ON main.tags BEGIN UPDATE tags SET max_id = 1; END', 'DROP TRIGGER temp.undo'],
  ]
  for (const [make, drop] of shadows) {
    database.exec(make)
    for (const other of [store, sqlStore(database)]) {
      assert.throws(() => other.leaseSegment(lease), { code: 'STORE_REFUSED', message: /temporary table `(tags|undo)`/ })
    }
    database.exec(drop)
  }
  assert.deepEqual([store.leaseSegment(lease).start, sqliteStore(path).leaseSegment(lease).start], [start + 10n, start + 20n])
})

test('unsafe settings are refused by name, and nothing is set', async (t) => {
  const { database, path } = opened(t)
  sqlStore(database, { create }).leaseSegment(lease)
  for (const [name, level] of [['OFF', 0], ['NORMAL', 1]]) {
    database.exec(`PRAGMA synchronous = ${name}`)
    await refuses(() => sqlStore(database).leaseSegment(lease), 'STORE_REFUSED', new RegExp(`has synchronous = ${name}, and a crash forgets what was answered last: .* run \`PRAGMA synchronous = FULL\``))
    assert.equal(Object.values(database.prepare('PRAGMA synchronous').all()[0])[0], level)
    assert.equal(sqlStore(database, { allowUnsafeSettings: true }).leaseSegment(lease).start > 1n, true)
  }
  const plain = open(`${path}2`)
  t.after(() => plain.close())
  assert.match((await refusal(() => sqlStore(plain, { create }).leaseSegment(lease))).message, /has journal_mode = delete, .* run `PRAGMA journal_mode = WAL`/)
  const memory = open(':memory:')
  t.after(() => memory.close())
  assert.match((await refusal(() => sqlStore(memory, { create }).leaseSegment(lease))).message, /the database is in memory/)
})

test('nothing is made unasked, and another program’s file is left alone', async (t) => {
  const { database } = opened(t)
  assert.equal((await refusal(() => sqlStore(database).leaseSegment(lease))).code, 'STORE_UNKNOWN')
  database.exec('CREATE TABLE tags (a)')
  assert.equal((await refusal(() => sqlStore(database, { create }).leaseSegment(lease))).code, 'SCHEMA_MISMATCH')
})
