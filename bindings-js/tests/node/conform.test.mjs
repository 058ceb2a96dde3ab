// `conform` of `leafid/testing`: over stores that are right, and over some that are wrong on purpose.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { httpStore, memoryStore } from 'leafid'
import * as registry from 'leafid/registry'
import { ConformError, conform } from 'leafid/testing'
import { storeFor } from '../support/store.mjs'
import { refusal } from '../support/stores.mjs'

/** In real time, and with a clock that is set; of either, two need a second object for the same store. */
const [REAL, SET] = [24, 26]

function rows(options = {}) {
  const store = memoryStore({ createOnUse: false, ...options })
  store.createTag('conform', { step: 10, max_step: 100 })
  store.createNamespace('conform', { workers: { start: 0, end: 4 }, max_window_ms: 60_000 })
  return store
}

/** A memory store whose clock is set, some verbs of it wrong. */
function scripted(wrong = () => ({})) {
  let now = 0
  const store = rows({ clock: () => now })
  const verbs = Object.fromEntries(['lease_segment', 'acquire', 'renew', 'release'].map((verb) => [verb, (ask) => store[verb](ask)]))
  return [{ ...verbs, ...wrong(store, () => now) }, { setClock: (ms) => (now = ms) }]
}

test('a store whose clock is set is checked without waiting', async () => {
  const began = Date.now()
  const { passed, skipped } = await conform(...scripted())
  assert.deepEqual([passed.length, skipped], [SET, {}])
  assert.ok(Date.now() - began < 60_000)
  console.log(`conform: ${passed.join(' ')}`)
})

// Together, for most of it waits.
describe('in real time', { concurrency: true }, () => {
  test('a store that is slow where many ask at once is right all the same', async () => {
    const store = rows()
    let flying = 0
    const slow = {
      ...Object.fromEntries(['lease_segment', 'renew', 'release'].map((verb) => [verb, (ask) => store[verb](ask)])),
      async acquire(ask) {
        flying += 1
        // More than there are numbers: those who come last are answered after the shortest window.
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
  const { lease_segment } = scripted()[0]
  assert.ok((await conform({ lease_segment })).passed.every((name) => name.startsWith('lease-')))
  for (const [store, options] of [[{}, {}], [rows(), { clock: 5 }]]) {
    assert.equal((await refusal(() => conform(store, options))).code, 'REQUEST_INVALID')
  }
})

const WRONG = {
  // Reads, waits, and writes whatever others wrote meanwhile.
  'lease-at-once': () => {
    let row = registry.tag_row({ tag: 'conform', step: 10, max_step: 100 })
    return {
      async lease_segment(ask) {
        if (ask.tag !== 'conform') throw Object.assign(new Error(), { code: 'TAG_UNKNOWN' })
        const leased = registry.lease_segment('5a'.repeat(16), row, ask, Date.now())
        await new Promise((resolve) => setTimeout(resolve, 1))
        row = leased.row
        return leased.grant
      },
    }
  },
  // Forgets what a caller has: a store that was put back would grant it again.
  'lease-went-back': (store) => ({ lease_segment: ({ have_until: _, ...ask }) => store.lease_segment(ask) }),
  // A number that is given back is free at once, also where its holder was ahead.
  'release-rests': (store) => ({ release: (ask) => store.release({ ...ask, unused_from: 0n }) }),
  // A double: its last digits are gone beyond 2^53.
  'lease-follows': (store) => ({
    lease_segment(ask) {
      const grant = store.lease_segment(ask)
      return { ...grant, start: Number(grant.start) }
    },
  }),
  // The clock goes back in the answers.
  'time-never-back': (store, now) => ({ lease_segment: (ask) => ({ ...store.lease_segment(ask), now_ms: now() }) }),
  // A lost answer costs another number.
  'acquire-again': (store) => {
    let count = 0
    return {
      acquire: ({ request, ...ask }) => ({ ...store.acquire({ ...ask, request: (count += 1).toString(16).padStart(32, '0') }), request }),
    }
  },
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
