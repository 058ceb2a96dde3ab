// Where no native part fits: the main package alone, with the wasm engine, in Node.
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

/** What a program says there, as JSON. */
function run(program, type = 'module') {
  const { status, stdout, stderr } = ranNode([`--input-type=${type}`, '-e', program], { cwd: folder })
  assert.deepEqual([status, stderr], [0, ''])
  return JSON.parse(stdout)
}

test('the same classes, the same IDs', () => {
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['leafid'], 'no native part')
  const told = run(`
    import { Segment, Snowflake, decode, memoryStore, toBase32 } from 'leafid'
    const store = memoryStore()
    const orders = new Segment('orders', { store })
    const ids = new Snowflake('default', { store })
    const numbers = [await orders.next(), orders.nextSync(), ...(await orders.take(1000))].map(Number)
    const stamps = [await ids.next(), ...ids.takeSync(1000)]
    await ids.close()
    const errors = [() => new Segment('a b'), () => ids.nextSync()].map((act) => { try { act() } catch (error) { return error.code } })
    const ascends = stamps.every((id, at) => at === 0 || id > stamps[at - 1])
    const late = Math.abs(decode(stamps[0]).time - Date.now())
    console.log(JSON.stringify({ numbers, ascends, late, errors, text: toBase32(7222222222222222222n) }))`)
  assert.deepEqual(told.numbers, Array.from({ length: 1002 }, (_, n) => n + 1))
  assert.ok(told.ascends && told.late < 60_000, `${told.late}`)
  assert.deepEqual([told.errors, told.text], [['TAG_INVALID', 'CLOSED'], '68EKWV2E7SRWE'])
  assert.equal(run("const { Segment, memoryStore } = require('leafid'); console.log(String(new Segment('a', { store: memoryStore() }).nextSync()))", 'commonjs'), 1)
})

test('a state file needs the native part, which is named', () => {
  const told = run(`
    import { Snowflake } from 'leafid'
    try { new Snowflake('default', { store: 'http://127.0.0.1:1', state: 'state' }) } catch ({ code, message }) { console.log(JSON.stringify({ code, message })) }`)
  assert.equal(told.code, 'NOT_ENABLED')
  assert.match(told.message, new RegExp(`npm install leafid-${process.platform}-${process.arch}`))
})
