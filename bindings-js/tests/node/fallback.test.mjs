// Node without a native package: the main package alone.
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ran, ranNode, scratch } from '../support/ends.mjs'
import { dist } from '../support/places.mjs'

const folder = scratch(undefined, { name: 'leafid-alone-' })

before(() => {
  const { version } = createRequire(import.meta.url)('leafid/package.json')
  const tarball = join(dist, `leafid-${version}.tgz`)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const words = ['npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error', tarball]
  const { status, stderr } = ran(words, { cwd: folder })
  assert.equal(status, 0, stderr)
})

/** Runs a program there; its output as JSON. */
function run(program, type = 'module') {
  const { status, stdout, stderr } = ranNode([`--input-type=${type}`, '-e', program], { cwd: folder })
  assert.deepEqual([status, stderr], [0, ''])
  return JSON.parse(stdout)
}

test('it draws, imported and required', () => {
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['leafid'], 'no native part')
  const draws = `const ids = ['Segment', 'Snowflake'].map((kind) => new leafid[kind]('default', { store: leafid.memoryStore() }))
    console.log(JSON.stringify([Number(ids[0].nextSync()), leafid.decode(ids[1].nextSync()).time - Date.now() < 60_000]))`
  assert.deepEqual(run(`import * as leafid from 'leafid'\n${draws}`), [1, true])
  assert.deepEqual(run(`const leafid = require('leafid')\n${draws}`, 'commonjs'), [1, true])
})

test('a state file and a journal need the native part, which is named', () => {
  const uses = {
    state: "new Snowflake('default', { store: 'http://127.0.0.1:1', state: 'state' })",
    journal: "sqliteStore('ids.db', { journal: '.' })",
  }
  for (const [option, use] of Object.entries(uses)) {
    const told = run(`
      import { Snowflake } from 'leafid'
      import { sqliteStore } from 'leafid/node'
      try { ${use} } catch ({ code, message }) { console.log(JSON.stringify({ code, message })) }`)
    assert.equal(told.code, 'NOT_ENABLED')
    assert.match(told.message, new RegExp(`\`${option}\` needs .* npm install leafid-${process.platform}-${process.arch}`))
  }
})
