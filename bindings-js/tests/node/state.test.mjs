// A snowflake's state file: its use, and what is refused, or ignored with a warning.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Segment, Snowflake, decode, memoryStore } from 'leafid'
import { BREAKING } from '../support/broken-engine.mjs'
import { ranNode, remove, scratch } from '../support/ends.mjs'
import { until } from '../support/stores.mjs'

const NOWHERE = 'http://127.0.0.1:1'
const SLOT = 512
const skip = process.platform === 'linux' ? false : 'there are state files on Linux only'

let folder
let state
let store
let warnings
const warn = (warning) => warnings.push(warning.message)

beforeEach(() => {
  folder = scratch()
  state = join(folder, 'state')
  store = memoryStore()
  warnings = []
  process.on('warning', warn)
})

afterEach(() => {
  process.off('warning', warn)
  remove(folder)
})

test('the native package is opened for a state file alone', { skip }, () => {
  const opened = (options) => {
    const program = `
      import { Snowflake, memoryStore } from 'leafid'
      await new Snowflake('default', { store: memoryStore(), ...${JSON.stringify(options)} }).next()
      console.log(process.report.getReport().sharedObjects.filter((file) => file.includes('/leafid-linux-')).length)`
    const { status, stdout, stderr } = ranNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname })
    assert.equal(status, 0, stderr)
    return Number(stdout)
  }
  assert.deepEqual([opened({}), opened({ state })], [0, 1])
})

/** Leaves a window in the file; returns the last ID. */
async function used() {
  const ids = new Snowflake('default', { store, state })
  const last = (await ids.take(100)).at(-1)
  await ids.close()
  return last
}

async function hasNothing() {
  const ids = new Snowflake('default', { store: NOWHERE, state, timeout: 300 })
  await assert.rejects(ids.next(), { code: 'TIMED_OUT' })
  await ids.close()
}

test('the next life needs no store', { skip }, async () => {
  const last = await used()
  assert.equal(statSync(state).mode & 0o777, 0o600)
  assert.equal(statSync(state).size, 2 * SLOT)
  for (let life = 0; life < 3; life++) {
    const ids = new Snowflake('default', { store: NOWHERE, state })
    const after = await ids.take(100)
    assert.ok(after[0] > last)
    assert.deepEqual(new Set(after.map((id) => decode(id).worker)), new Set([decode(last).worker]))
    await ids.close()
  }
})

test('in a folder each has a file of its own, and leaves it to the next', { skip }, async () => {
  const states = join(folder, 'states')
  mkdirSync(states)
  const before = [1, 2].map(() => new Snowflake('default', { store, state: states }))
  const workers = new Set()
  for (const ids of before) workers.add(decode(await ids.next()).worker)
  assert.equal(workers.size, 2)
  assert.deepEqual(readdirSync(states).filter((name) => name.endsWith('.state')).sort(), ['default.0.state', 'default.1.state'])
  for (const ids of before) await ids.close()
  const after = [1, 2].map(() => new Snowflake('default', { store: NOWHERE, state: `${states}/` }))
  for (const ids of after) assert.ok(workers.delete(decode(await ids.next()).worker), 'a right of the folder that nobody else has')
  for (const ids of after) await ids.close()
  assert.deepEqual(warnings.filter((message) => message.includes('state file')), [])
})

test('a caller that cannot wait has an ID once the window is written', { skip }, async () => {
  const ids = new Snowflake('default', { store, state })
  const first = ids.nextSync()
  // Blocks the event loop for longer than the file reserves.
  const back = performance.now() + 1_300
  while (performance.now() < back);
  // On a busy machine the writing thread may not have run yet.
  let next
  while (next === undefined) {
    try {
      next = ids.nextSync()
    } catch (error) {
      if (performance.now() > back + 60_000) throw error
    }
  }
  assert.ok(next > first)
  await ids.close()
})

test('what was given up, or forgotten, is not used again', { skip }, async () => {
  const first = new Snowflake('default', { store, state })
  await first.next()
  await first.close({ release: true })
  await hasNothing()
  const second = new Snowflake('default', { store, state })
  await second.next()
  second.forget()
  await second.close()
  await hasNothing()
})

test('a state file of no use is not used, and that is said', { skip }, async () => {
  await used()
  copyFileSync(state, join(folder, 'copy'))
  const damaged = join(folder, 'damaged')
  writeFileSync(damaged, readFileSync(state).subarray(0, SLOT))
  const holder = new Snowflake('default', { store, state })
  const { worker } = decode(await holder.next())
  const cases = [
    [join(folder, 'copy'), /was copied, and is not used/],
    [damaged, /is damaged, or of another version, and is not used/],
    [state, /is locked by another process/],
  ]
  for (const [path, words] of cases) {
    warnings = []
    const ids = new Snowflake('default', { store, state: path })
    assert.notEqual(decode(await ids.next()).worker, worker)
    // Warnings come in the next turn.
    await new Promise((resolve) => setImmediate(resolve))
    await ids.close()
    assert.match(warnings.join(), words)
  }
  await holder.close()
})

test('what is no state file is refused', { skip }, async () => {
  writeFileSync(state, 'x'.repeat(2 * SLOT))
  for (const [path, message] of [[state, /is not a state file of leafid: pass another path/], [join(folder, 'none/state'), /cannot be opened: No such file .*: make its folder first/]]) {
    const ids = new Snowflake('default', { store, state: path })
    for (let time = 0; time < 2; time++) await assert.rejects(ids.next(), { code: 'STATE_INVALID', message })
    await ids.close()
  }
  assert.equal(readFileSync(state, 'utf8'), 'x'.repeat(2 * SLOT))
  for (const wrong of ['', 5, null]) {
    assert.throws(() => new Snowflake('default', { store, state: wrong }), { code: 'STATE_INVALID', message: /must be the path of a file/ })
  }
  assert.throws(() => new Segment('orders', { store, state }), { code: 'REQUEST_INVALID' })
})

test('a removed state file is abandoned, and IDs go on', { skip }, async () => {
  for (const ending of ['', '.lock']) {
    const [path, failed] = [join(folder, `gone${ending}`), []]
    warnings = []
    const ids = new Snowflake('default', { store, state: path, onError: (error) => failed.push(error) })
    const { worker } = decode(await ids.next())
    assert.equal(ids.stats().stateCode, undefined)
    rmSync(`${path}${ending}`)
    await until(async () => decode(await ids.next()).worker !== worker)
    assert.equal(ids.stats().stateCode, 'STATE_INVALID')
    await until(() => warnings.length > 0)
    assert.match(warnings.join(), /^the state file `.*` was removed or replaced.*; it is abandoned: IDs need the store/)
    assert.deepEqual(failed.map(({ code }) => code), ['STATE_INVALID'])
    await ids.close()
  }
})

test('the native part is loaded for a state file alone', { skip }, () => {
  const program = `
    import { Segment, Snowflake, memoryStore } from 'leafid'
    const loaded = () => process.report.getReport().sharedObjects.filter((file) => file.includes('leafid')).length
    new Segment('orders', { store: memoryStore() }).nextSync()
    const before = loaded()
    new Snowflake('default', { store: memoryStore(), state: process.argv[1] })
    console.log(before, loaded())`
  const { stdout, stderr } = ranNode(['--input-type=module', '-e', program, state], { cwd: import.meta.dirname })
  assert.deepEqual([stdout, stderr], ['0 1\n', ''])
})

test('an engine that broke goes on from the file', { skip }, () => {
  const program = `${BREAKING}
    const { Snowflake, decode, memoryStore } = await import('leafid')
    const ids = new Snowflake('default', { store: memoryStore(), state: process.argv[1] })
    const seen = await ids.take(100)
    breaks = 1
    while (seen.length < 200) seen.push(await ids.next())
    await ids.close()
    console.log(seen.every((id, at) => at === 0 || id > seen[at - 1]), breaks, new Set(seen.map((id) => decode(id).worker)).size)`
  const { stdout, stderr } = ranNode(['--input-type=module', '-e', program, state], { cwd: import.meta.dirname })
  assert.deepEqual([stdout, stderr], ['true 0 1\n', ''])
})
