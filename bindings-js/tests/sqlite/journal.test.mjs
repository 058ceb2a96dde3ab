// A journal for stores in files that Node processes open themselves: whatever state of a file is put back, nothing is
// granted twice.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, test } from 'node:test'
import { sqlStore, sqliteStore } from 'leafid/node'
import { drawn, duplicates } from '../support/drawn.mjs'
import { remove, scratch } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'

const { Connection } = await inner()
const COUNT = 3_000
const create = { tags: { orders: { step: 10, maxStep: 10 } }, namespaces: { one: { workers: { start: 0, end: 1 } } } }
const skip = process.platform === 'linux' ? false : 'there are journals on Linux only'

let folder
let path
let journal
let warnings
const warn = (warning) => warnings.push(warning)

beforeEach(() => {
  folder = scratch()
  path = join(folder, 'ids.db')
  journal = join(folder, 'journal')
  mkdirSync(journal)
  warnings = []
  process.on('warning', warn)
})

afterEach(() => {
  delete process.env.LEAFID_JOURNAL
  process.off('warning', warn)
  remove(folder)
})

function script(sql) {
  const file = new Connection(path)
  file.script('PRAGMA busy_timeout = 20000')
  file.script(sql)
  file.close()
}

const copy = () => script(`VACUUM INTO '${join(folder, 'copy.db')}'`)
const TABLES = ['namespaces', 'tags', 'workers']
const back = () =>
  script(`ATTACH '${join(folder, 'copy.db')}' AS was; BEGIN IMMEDIATE;
    ${TABLES.map((table) => `DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM was.${table};`).join('')} COMMIT`)

const request = () => randomBytes(16).toString('hex')
/** A store as a new process has it. */
const opened = (options) => sqliteStore(path, { create, ...options })
const leased = async (store, ask) => {
  const { start, end } = await store.leaseSegment({ tag: 'orders', request: request(), ...ask })
  return [BigInt(start), BigInt(end)]
}
const acquired = async (store, ask) => {
  const key = request()
  const named = { namespace: 'default', owner: 'me', sticky: false, strict: false, ...ask }
  return { key, namespace: named.namespace, ...(await store.acquire({ ...named, request: key })) }
}
const renewed = async (store, { worker, key, end, namespace, store: id }) => store.renew({ namespace, worker, key, store: id, request: request(), haveUntil: end })

/** How many of the ranges overlap the one before. */
function overlaps(ranges) {
  ranges.sort(([a], [b]) => Number(a - b))
  return ranges.filter(([start], at) => at > 0 && start < ranges[at - 1][1]).length
}

/** What is granted twice when the rows go back: ranges of numbers, and windows. */
async function putBack(options) {
  const first = opened(options)
  await leased(first)
  copy()
  const [numbers, windows] = [[], new Map()]
  const grant = async (store) => {
    for (let n = 0; n < 3; n++) {
      numbers.push(await leased(store))
      const { worker, start, end } = await acquired(store)
      windows.set(worker, [...(windows.get(worker) ?? []), [BigInt(start), BigInt(end)]])
    }
  }
  await grant(first)
  back()
  await grant(opened(options))
  return [overlaps(numbers), [...windows.values()].reduce((sum, each) => sum + overlaps(each), 0)]
}

test('a restored file grants nothing twice, and warns', { skip }, async () => {
  assert.deepEqual(await putBack({ journal }), [0, 0])
  await sleep(0)
  assert.ok(warnings.some(({ code, message }) => code === 'STORE_WENT_BACK' && message.includes(journal)), warnings.join())
})

test('the control: without a journal it does', async () => {
  const twice = await putBack({})
  console.log(`control: ${twice} twice`)
  assert.ok(Math.min(...twice) > 0)
})

test('what the copy lacks is made again above', { skip }, async () => {
  const empty = opened({ create: true, journal })
  await acquired(empty)
  copy()
  const before = [await leased(opened({ journal })), await acquired(opened({ journal }), { namespace: 'one' })]
  back()
  assert.ok((await leased(opened({ journal })))[0] >= before[0][1])
  await assert.rejects(acquired(opened({ journal }), { namespace: 'one' }), { code: 'WORKERS_EXHAUSTED' })
})

test('holders go on, and an earlier one is not renewed over a later one', { skip }, async () => {
  const store = opened({ journal })
  const first = await acquired(store, { namespace: 'one', lengthMs: 1_000 })
  await leased(store)
  copy()
  const [, end] = await leased(store)
  await sleep(1_100)
  await acquired(store, { namespace: 'one' })
  back()
  assert.equal((await leased(store, { haveUntil: end }))[0], end)
  for (let n = 0; n < 2; n++) await assert.rejects(renewed(store, first), { code: 'LEASE_LOST' })
  await assert.rejects(acquired(store, { namespace: 'one' }), { code: 'WORKERS_EXHAUSTED' })
})

const made = () => opened({ create: { tags: { orders: { step: 100, maxStep: 1_000 } } } })

/** How many IDs processes drew twice while a file was put back, and before others began. */
async function drawnOverRestores(what) {
  const seen = []
  await leased(made())
  copy()
  for (let round = 0; round < 2; round++) {
    let left = 4
    const all = ['segment', 'snowflake'].flatMap((kind) => [1, 2].map(() => drawn(`sqlite:${path}`, kind, COUNT, seen).finally(() => (left -= 1))))
    const over = Promise.all(all)
    while (left > 0) {
      await Promise.race([sleep(50 + Math.random() * 100), over])
      back()
    }
    await over
  }
  assert.ok(seen.length >= 8 * COUNT)
  return duplicates(what, seen)
}

test('processes draw while the file goes back', { skip, timeout: 300_000 }, async () => {
  process.env.LEAFID_JOURNAL = journal
  assert.equal(await drawnOverRestores('journal:'), 0)
  assert.equal(readdirSync(journal).filter((name) => name.endsWith('.hosts')).length, 1)
})

test('the control: without a journal new processes draw the same IDs', async () => {
  const seen = []
  await leased(made())
  copy()
  for (let round = 0; round < 2; round++) {
    await drawn(`sqlite:${path}`, 'segment', COUNT, seen)
    back()
  }
  assert.ok(duplicates('no journal:', seen) > 0)
})

test('a journal that cannot be used', { skip }, async () => {
  for (const open of [opened, (options) => sqlStore(`sqlite:${path}`, { create, ...options })]) {
    assert.throws(() => open({ journal: join(folder, 'none') }), { code: 'STATE_INVALID', message: /journals cannot be used: No such file/ })
    assert.throws(() => open({ journal: 7 }), { code: 'REQUEST_INVALID' })
  }
  process.env.LEAFID_JOURNAL = join(folder, 'none')
  assert.throws(() => opened(), { code: 'STATE_INVALID' })
  process.env.LEAFID_JOURNAL = journal
  const store = opened()
  const [, end] = await leased(store)
  const name = readdirSync(journal).find((each) => each.endsWith('.hosts'))
  const lock = join(journal, `${name}.lock`)
  rmSync(lock)
  mkdirSync(lock)
  await assert.rejects(leased(store), { code: 'STORE_UNAVAILABLE', message: /the journal `.*\.hosts` cannot be used: / })
  rmdirSync(lock)
  assert.ok((await leased(store))[0] >= end)
  assert.match(readFileSync(join(journal, name), 'utf8'), /^leafid-hosts 1 [0-9a-f]{32}\n.*tag \d+ orders #/s)
})
