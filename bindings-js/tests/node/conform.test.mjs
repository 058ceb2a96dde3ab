// `conform` of `leafid/testing`, over correct stores and deliberately wrong ones.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { httpStore, memoryStore } from 'leafid'
import * as registry from 'leafid/registry'
import { ConformError, conform } from 'leafid/testing'
import { storeFor } from '../support/store.mjs'
import { refusal } from '../support/stores.mjs'

/** The number of cases in real time, and with a clock that is set; of each, two need a second store object. */
const [REAL, SET] = [24, 26]

function rows(options = {}) {
  const store = memoryStore({ createOnUse: false, ...options })
  store.createTag('conform', { step: 10, maxStep: 100 })
  store.createNamespace('conform', { workers: { start: 0, end: 4 }, maxWindowMs: 60_000 })
  return store
}

/** A memory store whose clock is set, with some verbs wrong. */
function scripted(wrong = () => ({})) {
  let now = 0
  const store = rows({ clock: () => now })
  const verbs = Object.fromEntries(['leaseSegment', 'acquire', 'renew', 'release'].map((verb) => [verb, (ask) => store[verb](ask)]))
  return [{ ...verbs, ...wrong(store, () => now) }, { setClock: (ms) => (now = ms) }]
}

test('a store whose clock is set is checked without waiting', async () => {
  const began = Date.now()
  const { passed, skipped } = await conform(...scripted())
  assert.deepEqual([passed.length, skipped], [SET, {}])
  assert.ok(Date.now() - began < 60_000)
  console.log(`conform: ${passed.join(' ')}`)
})

// Concurrent, since most of the time is waiting.
describe('in real time', { concurrency: true }, () => {
  test('a store that is slow where many ask at once is right all the same', async () => {
    const store = rows()
    let flying = 0
    const slow = {
      ...Object.fromEntries(['leaseSegment', 'renew', 'release'].map((verb) => [verb, (ask) => store[verb](ask)])),
      async acquire(ask) {
        flying += 1
        // More callers than worker numbers: the last ones are answered after the shortest window.
        if (flying > 4) await new Promise((resolve) => setTimeout(resolve, 1_200))
        else await undefined
        flying -= 1
        return store.acquire(ask)
      },
    }
    assert.equal((await conform(slow)).passed.length, REAL)
  })

  test('over HTTP: the real store', async (t) => {
    const store = await storeFor(t, { tags: { conform: { step: 10, max_step: 100 } }, namespaces: { conform: { layout: 'leaf', workers: { start: 0, end: 4 } } } })
    const again = () => httpStore(store.url)
    assert.equal((await conform(again(), { again })).passed.length, REAL + 2)
  })
})

test('what cannot be looked at is told', async () => {
  const { passed, skipped } = await conform(memoryStore())
  assert.deepEqual(Object.keys(skipped), ['lease-unknown-tag', 'acquire-unknown-namespace', 'numbers-exhausted'])
  assert.equal(passed.length, REAL - 3)
  const { leaseSegment } = scripted()[0]
  assert.ok((await conform({ leaseSegment })).passed.every((name) => name.startsWith('lease-')))
  for (const [store, options] of [[{}, {}], [rows(), { clock: 5 }]]) {
    assert.equal((await refusal(() => conform(store, options))).code, 'REQUEST_INVALID')
  }
})

const WRONG = {
  // Reads, waits, then overwrites what others wrote meanwhile.
  'lease-at-once': () => {
    let row = registry.tagRow({ tag: 'conform', step: 10, maxStep: 100 })
    return {
      async leaseSegment(ask) {
        if (ask.tag !== 'conform') throw Object.assign(new Error(), { code: 'TAG_UNKNOWN' })
        const leased = registry.leaseSegment('5a'.repeat(16), row, ask, Date.now())
        await new Promise((resolve) => setTimeout(resolve, 1))
        row = leased.row
        return leased.grant
      },
    }
  },
  // A double, which loses its last digits above 2^53.
  'lease-follows': (store) => ({
    leaseSegment(ask) {
      const grant = store.leaseSegment(ask)
      return { ...grant, start: Number(grant.start) }
    },
  }),
  // The answers' clock goes back.
  'time-never-back': (store, now) => ({ leaseSegment: (ask) => ({ ...store.leaseSegment(ask), nowMs: now() }) }),
}

for (const [check, wrong] of Object.entries(WRONG)) {
  test(`the control: ${check} finds a store that is wrong there`, async () => {
    const found = await conform(...scripted(wrong)).then(() => assert.fail('it passed'), (error) => error)
    assert.ok(found instanceof ConformError, String(found.stack))
    assert.ok(Object.keys(found.failed).includes(check), found.message)
    assert.match(found.message, new RegExp(`^\\d+ of ${SET} checks failed\\n`))
    assert.match(found.message, new RegExp(`^  ${check}: `, 'm'))
  })
}
