// Stores that throw, reject or answer nonsense: callers get an error with a code, no rejection goes unhandled, and IDs
// come again once the store is well.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { LeafidError, Segment, Snowflake, memoryStore } from 'leafid'
import { until } from '../support/ends.mjs'

const KINDS = { Segment, Snowflake }

const BOOM = new Error('boom')
const boom = () => {
  throw BOOM
}
const rejects = (cause) => async () => {
  throw cause
}
const thrower = { get: boom, getPrototypeOf: boom, ownKeys: boom }
const unhandled = []
process.on('unhandledRejection', (cause) => unhandled.push(cause))

/** Wrong answers, and the start of the complaint if every kind has the same. */
const NONSENSE = {
  'nothing at all': [() => undefined, 'it must be an object, got `undefined`'],
  null: [() => null],
  'a text': [() => '<html>'],
  'a list': [() => []],
  'an empty object': [() => ({})],
  "another request's echo": [(answer) => ({ ...answer, request: '0'.repeat(32) }), 'the request id must be that of the ask, `'],
  'no echo': [({ request: _, ...answer }) => answer],
  'start = end': [(answer) => ({ ...answer, end: answer.start }), 'it cannot be right, got `{'],
  'an end beyond 63 bits': [(answer) => ({ ...answer, end: 2n ** 63n })],
  'an end beyond 64 bits': [(answer) => ({ ...answer, end: 2n ** 64n + 5n })],
  'a negative start': [(answer) => ({ ...answer, start: -1n })],
  'a number for 64 bits': [(answer) => ({ ...answer, start: 1 }), '`start` must be a bigint or a decimal string, got `1`'],
  'a text that is no decimal': [(answer) => ({ ...answer, start: '0x5' })],
  'no end': [({ end: _, ...answer }) => answer, 'it has no `end`: it must be a bigint or a decimal string'],
  'a store id that is none': [(answer) => ({ ...answer, store: 'here' })],
  'a time that is none': [(answer) => ({ ...answer, nowMs: 'now' })],
  'another tag': [(answer) => ({ ...answer, tag: 'others' }), '', 'Segment'],
  'a worker beyond the layout': [(answer) => ({ ...answer, worker: 1024 }), '', 'Snowflake'],
  'a window that is over': [(answer) => ({ ...answer, start: 1n, end: 2n }), '', 'Snowflake'],
}

/** What a verb does instead of answering; `busy` keeps its code. */
const busy = (details, words = 'others wrote first') => [rejects(Object.assign(new LeafidError('OVERLOADED', 'others wrote first', details), { message: words })), 'OVERLOADED']
const FAILING = {
  throws: [boom],
  'throws undefined': [() => { throw undefined }],
  rejects: [rejects(BOOM)],
  'rejects with nothing': [() => Promise.reject()],
  'rejects later': [() => new Promise((_, reject) => setTimeout(reject, 5, BOOM))],
  'is a thenable that throws': [() => ({ then: boom })],
  'has a getter that throws': [({ request }) => ({ request, get store() { return boom() } })],
  'answers a proxy that throws': [() => new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : boom()) })],
  'rejects with a proxy that throws': [rejects(new Proxy({}, thrower))],
  'rejects with a getter that throws': [rejects(Object.defineProperty(new Error('boom'), 'name', { get: boom }))],
  'rejects with a code that throws': [rejects({ get code() { return boom() } })],
  'rejects with what has no text': [rejects({ toString: () => undefined })],
  'rejects with a function without a name': [rejects(Object.defineProperty(() => {}, 'name', { value: Symbol('boom') }))],
  'says in a text how long to wait': busy({ retryAfter: '5' }),
  'says in a bigint how long to wait': busy({ retryAfter: 5n, until: 5n }),
  'says how long to wait, without end': busy({ retryAfter: Number.POSITIVE_INFINITY }),
  'says no word': busy({}, Symbol('boom')),
}

/** Draws in every way, and returns the errors. */
async function errorsOf(ids) {
  const array = () => new BigUint64Array(4)
  const calls = [() => ids.next(), () => ids.take(3), () => ids.ready(2), () => ids.fill(array()), () => ids.nextString(), () => ids.nextSync(), () => ids.takeSync(2), () => ids.fillAvailable(array())]
  const settled = await Promise.allSettled(calls.map(async (call) => call()))
  return settled.map(({ reason }) => reason)
}

const make = (kind, store, timeout) => new KINDS[kind](kind === 'Segment' ? 'orders' : 'default', { store, timeout })

/** A store of small leases that misbehaves where `isWrong`; `act` gets the ask and the right answer. */
function store(act, isWrong) {
  const rows = memoryStore()
  rows.createTag('orders', { step: 10, maxStep: 10 })
  let asks = 0
  const verb = (name) => [name, (ask) => (isWrong(asks++) ? act(ask, () => rows[name](ask)) : rows[name](ask))]
  return { ...Object.fromEntries(['leaseSegment', 'acquire', 'renew'].map(verb)), release: (ask) => rows.release(ask) }
}

async function survives(kind, act, mayBeLate = false) {
  // No caller is waiting when the fourth ask, sent ahead, fails.
  const ids = make(kind, store(act, (ask) => ask < 2 || ask === 3), 60_000)
  const got = [await ids.next()]
  const { failures, grants } = ids.stats()
  // An answer that took three seconds on a busy machine was asked for again.
  assert.deepEqual([mayBeLate ? 2 : failures, failures > 0, grants], [2, true, 1])
  for (const end = Date.now() + 60_000; got.length < 25 && Date.now() < end; ) {
    try {
      got.push(ids.nextSync())
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  assert.ok(got.length === 25 && got.every((id, at) => at === 0 || id > got[at - 1]), `${got}`)
  await ids.close()
}

async function tells(kind, act, code) {
  const ids = make(kind, store(act, () => true), 60)
  let errors
  // On a busy machine the time-out may end before the first ask has failed.
  await until(async () => {
    errors = await errorsOf(ids)
    for (const error of errors) assert.ok(error instanceof LeafidError && error.message.length > 10, `${error?.stack}`)
    return errors.slice(0, 5).every((error) => error.code === 'TIMED_OUT' && error.cause.code === code)
  })
  const { lastCode } = ids.stats()
  await ids.close()
  const { message, cause } = errors[0].cause
  return { message, cause, lastCode }
}

describe('what a store does wrong', { concurrency: true }, () => {
  for (const kind of Object.keys(KINDS)) {
    const about = kind === 'Segment' ? '`leaseSegment` for tag `orders`' : '`acquire` for namespace `default`'
    for (const [what, [spoil, words = '', of = kind]] of Object.entries(NONSENSE)) {
      if (of !== kind) continue
      for (const [when, act] of [['', (_, right) => spoil(right())], [' later', async (_, right) => spoil(right())]]) {
        test(`${kind}: answers ${what}${when}`, async () => {
          await survives(kind, act)
          const { message, lastCode } = await tells(kind, act, 'GRANT_INVALID')
          assert.equal(lastCode, 'GRANT_INVALID')
          assert.ok(message.startsWith(`the store's answer to ${about} was not used: ${words}`) && message.endsWith(': check what answers as the store'), message)
        })
      }
    }
    for (const [what, [act, code = 'STORE_UNAVAILABLE']] of Object.entries(FAILING)) {
      test(`${kind}: ${what}`, async () => {
        await survives(kind, act, what === 'rejects later')
        const { message, cause } = await tells(kind, act, code)
        if (what === 'throws') assert.deepEqual([message.startsWith(`the store's ${about} failed with \`Error: boom\``), cause], [true, BOOM])
      })
    }
  }
})

after(() => assert.deepEqual(unhandled, []))
