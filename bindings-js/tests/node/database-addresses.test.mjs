// Messages for `postgres://…`, `mysql://…` and `sqlite:…` addresses without such a server or SQLite.
import assert from 'node:assert/strict'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Segment } from 'leafid'
import { sqlStore, sqliteStore } from 'leafid/node'
import { ranNode, scratch } from '../support/ends.mjs'
import { inner, root } from '../support/package.mjs'
import { refusal, refuses, timedOut } from '../support/stores.mjs'

const PROGRAM = "import { Segment } from 'leafid'\nawait new Segment('orders').next()"

test('without the driver the error names what brings it', (t) => {
  const folder = scratch(t)
  cpSync(root, join(folder, 'node_modules/leafid'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [store, says] of [
    ['postgres://u:s3cret@127.0.0.1:1/d', '`postgres://` needs the package pg: npm install pg'],
    ['mysql://u:s3cret@127.0.0.1:1/d', '`mysql://` needs the package mysql2: npm install mysql2'],
  ]) {
    const env = { ...process.env, LEAFID_STORE: store }
    const { stderr } = ranNode(['--input-type=module', '-e', PROGRAM], { cwd: folder, env })
    assert.ok(stderr.includes(says) && stderr.includes("code: 'NOT_ENABLED'"), stderr)
    assert.doesNotMatch(stderr, /s3cret/)
  }
})

test('an address that cannot be used is told at once, and not repeated', async () => {
  for (const [store, says] of [
    ['postgres://u:s3cret@h:port/d', /PostgreSQL store cannot be read: it must be like `postgres:\/\/USER/],
    ['mysql://u:s3cret@h', /MySQL store names no database/],
    ['mysql://u:s3cret@h/d?tags=tags', /has `tags=tags`, and only `mysql:\/\/…\?tags=leaf_alloc` is known/],
    ['postgres://u:s3cret@h/d?tags=leaf_alloc', /has `tags=leaf_alloc`/],
  ]) {
    for (const act of [() => new Segment('orders', { store }).next(), () => sqlStore(store)]) {
      const { code, message } = await refusal(act)
      assert.equal(code, 'REQUEST_INVALID')
      assert.match(message, says)
      assert.doesNotMatch(message, /s3cret/)
    }
  }
  const wrong = [
    [() => sqlStore(5), /`sqlStore` needs a pool or client of `pg`, a pool or connection of `mysql2`, or a database of `better-sqlite3` or `node:sqlite`, got `5`/],
    [() => sqlStore({}), /`sqlStore` needs/],
    [() => sqlStore('http://127.0.0.1'), /must be like `postgres:\/\/…`/],
    [() => sqlStore('postgres://h/d', { creat: true }), /unknown option `creat`/],
    [() => sqlStore('mysql://h/d', { tags: 'orders' }), /`tags` must be 'leaf_alloc'/],
    [() => sqlStore('postgres://h/d', { tags: 'leaf_alloc' }), /Leaf's table/],
    [() => sqlStore('sqlite:ids.db', { tags: 'leaf_alloc' }), /Leaf's table/],
  ]
  for (const [act, says] of wrong) {
    await refuses(act, 'REQUEST_INVALID', says)
  }
})

test('what passes is waited for', async () => {
  for (const store of ['postgres://u@127.0.0.1:1/d', 'mysql://u@127.0.0.1:1/d', 'http://127.0.0.1:1']) {
    await timedOut(() => new Segment('orders', { store, timeout: 200 }).next(), 'STORE_UNAVAILABLE')
  }
})

test('without SQLite the error names what brings it', { skip: process.getBuiltinModule?.('node:sqlite') && 'this Node has SQLite' }, async () => {
  await refuses(() => new Segment('orders', { store: sqliteStore('ids.db', { create: true }) }).next(), 'NOT_ENABLED', /^`sqlite:` needs Node 22\.13 or later, which has `node:sqlite`, or the package better-sqlite3, got Node \d+\.\d+\.\d+: npm install better-sqlite3$/)
  assert.equal(existsSync('ids.db'), false)
})

test('a server that does not say what it is set to is no store', async () => {
  const { judge } = await inner()
  const judged = (found, allowUnsafe) => refusal(() => judge({ place: 'here' }, found, allowUnsafe))
  const risk = [null, 'fsync = off', 'turn that on']
  for (const said of [[], [null], risk.slice(0, 2)]) assert.match((await judged(said, true)).message, /here does not say what it is set to/)
  assert.equal((await judged(risk, false)).code, 'STORE_REFUSED')
  for (const [found, allowUnsafe] of [[risk, true], [[null, null, 'turn that on'], false]]) judge({ place: 'here' }, found, allowUnsafe)
})
