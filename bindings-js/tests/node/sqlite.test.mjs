// `sqlite:` where Node has no SQLite; and the suite over files, in a Node that has it.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { Segment } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { leash, ran } from '../support/ends.mjs'
import { refusal } from '../support/stores.mjs'

const require = createRequire(import.meta.url)
const has = (name) => {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}
const own = process.getBuiltinModule?.('node:sqlite') !== undefined || has('better-sqlite3') !== undefined

/** A Node that opens files: this one, or that of the package for this platform. */
function nodeWithSqlite() {
  if (own) return process.execPath
  const manifest = has(`node-${process.platform}-${process.arch}/package.json`)
  const program = manifest && join(manifest, '../bin/node')
  return program !== undefined && existsSync(program) ? program : undefined
}

test('without SQLite the error names what brings it', { skip: own }, async () => {
  const { code, message } = await refusal(() => new Segment('orders', { store: sqliteStore('ids.db', { create: true }) }).next())
  assert.equal(code, 'NOT_ENABLED')
  assert.match(message, /^`sqlite:` needs Node 22\.13 or later, which has `node:sqlite`, or the package better-sqlite3, got Node \d+\.\d+\.\d+: npm install better-sqlite3$/)
  assert.equal(existsSync('ids.db'), false)
})

test('the suite over files', { timeout: 900_000 }, () => {
  const node = nodeWithSqlite()
  assert.ok(node !== undefined, `no Node with SQLite: install node-${process.platform}-${process.arch} 24, or better-sqlite3`)
  const folder = join(import.meta.dirname, '../sqlite')
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'))
  assert.ok(files.length > 0)
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env
  const run = ran([...leash(), node, '--test', '--test-reporter=spec', ...files.map((name) => join(folder, name))], { env, timeout: 590_000 })
  console.log(run.stdout)
  assert.deepEqual([run.status, /ℹ pass (\d+)/.exec(run.stdout)?.[1] >= 13], [0, true], run.stderr)
})
