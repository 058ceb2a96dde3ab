// File errors that waiting cannot help are raised at once, with their own code and a remedy, as in Python's
// `test_hopeless.py`. Manually edited rows are refused by name, in the words of the server and of Python.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Segment } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { ranNode, scratch } from '../support/ends.mjs'
import { LONG_MS, atOnce, create, lease } from '../support/hopeless.mjs'
import { inner } from '../support/package.mjs'
import { refusal, refuses, until } from '../support/stores.mjs'

const { Connection } = await inner()

function script(path, text) {
  const connection = new Connection(path)
  connection.script(text)
  connection.close()
}

async function edited(path, ...changes) {
  await sqliteStore(path, { create }).leaseSegment(lease())
  script(path, ['PRAGMA ignore_check_constraints = 1', ...changes].join(';'))
}

const FILES = {
  'not there': [() => {}, 'STORE_UNKNOWN', 'leafid init --store sqlite:', 'create: true'],
  empty: [(path) => writeFileSync(path, ''), 'STORE_UNKNOWN', 'is an empty file', 'leafid init'],
  'no tables': [(path) => script(path, 'CREATE TABLE t (x); DROP TABLE t; VACUUM'), 'STORE_UNKNOWN', 'has no tables', 'leafid init'],
  'a folder': [(path) => mkdirSync(path), 'STORE_UNKNOWN', 'is a folder', '/leafid.db'],
  'no database': [(path) => writeFileSync(path, 'x'.repeat(4096)), 'SCHEMA_MISMATCH', 'not a leafid'],
  'another program’s': [(path) => script(path, 'CREATE TABLE customers (id)'), 'SCHEMA_MISMATCH', 'another program made it'],
  'too old': [(path) => edited(path, 'PRAGMA user_version = 0'), 'SCHEMA_MISMATCH', 'version 0', 'use the version of leafid'],
  'too new': [(path) => edited(path, 'PRAGMA user_version = 99'), 'SCHEMA_MISMATCH', 'version 99', 'use the version of leafid'],
}

for (const [name, [make, code, ...words]] of Object.entries(FILES)) {
  test(name, async (t) => {
    const path = join(scratch(t), 'ids.db')
    await make(path)
    await atOnce(`sqlite:${path}`, code, ...words)
  })
}

test('in a folder that is not there', async (t) => atOnce(`sqlite:${join(scratch(t), 'none', 'ids.db')}`, 'STORE_UNKNOWN', 'mkdir -p'))

const READS = `
  import { chmodSync } from 'node:fs'
  import { Segment } from 'leafid'
  import { sqliteStore } from 'leafid/node'
  const [path] = process.argv.slice(1)
  // Loads late modules first: another user may not be able to read them.
  await new Segment('orders', { store: sqliteStore(path) }).next()
  chmodSync(path, 0o444)
  // Root may write to a read-only file, so the process switches to another user.
  if (process.getuid() === 0) process.setgroups([]), process.setgid(65534), process.setuid(65534)
  await new Segment('orders', { store: \`sqlite:\${path}\`, timeout: ${LONG_MS} }).next().catch(({ code, message }) => console.log(code, message))
`

test('that this user may not write', async (t) => {
  const made = scratch(t)
  const path = join(made, 'ids.db')
  await edited(path)
  chmodSync(made, 0o755)
  const { stdout, stderr } = ranNode(['--input-type=module', '-e', READS, path], { cwd: import.meta.dirname })
  assert.match(stdout, /^FORBIDDEN this user cannot write .*; allow writing/, stderr)
})

test('a row with a value that nobody writes is refused by name', async (t) => {
  for (const [column, value] of [['max_id', -5], ['step', 2 ** 31], ['deleted', 7]]) {
    const path = join(scratch(t), 'ids.db')
    await edited(path, `UPDATE tags SET ${column} = ${value}`)
    const act = () => new Segment('orders', { store: `sqlite:${path}`, timeout: LONG_MS }).next()
    await refuses(act, 'SCHEMA_MISMATCH', new RegExp(`a row of tag \`orders\` has a value that leafid did not write \\(\`${column}\` is \`${value}\`\\); put back`))
  }
})

test('what is made meanwhile is found', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const orders = new Segment('orders', { store: `sqlite:${path}` })
  assert.equal((await refusal(() => orders.next())).code, 'STORE_UNKNOWN')
  sqliteStore(path, { create }).leaseSegment(lease())
  let drawn
  await until(async () => (drawn = await orders.next().catch((error) => assert.equal(error.code, 'STORE_UNKNOWN'))) !== undefined)
  assert.equal(drawn, 11n)
})
