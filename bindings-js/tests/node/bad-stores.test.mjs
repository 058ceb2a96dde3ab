// Whatever a store does: an error with a code and figures, no rejection that nobody handles, and a module that goes on.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ranNode } from '../support/ends.mjs'

// In a process of its own, as Node ends it when a rejection is not handled.
const PROGRAM = `
  import { LeafidError, Segment, Snowflake, memoryStore } from 'leafid'

  const rows = memoryStore()
  const never = () => new Promise(() => {})
  const later = (act) => () => new Promise((resolve, reject) => setTimeout(() => { try { resolve(act()) } catch (error) { reject(error) } }, 5))
  const boom = () => { throw new Error('boom') }
  const numbers = (ask) => {
    const { request } = ask
    const store = '5a'.repeat(16)
    const range = { request, store, start: 1, end: 100, now_ms: 1_800_000_000_000 }
    return 'tag' in ask ? { ...range, tag: ask.tag, step: 100, max_step: 100, remaining: 5 } : { ...range, worker: 1, length_ms: 1000 }
  }
  const thrower = { get: boom, getPrototypeOf: boom, ownKeys: boom }
  const rejects = (cause) => [async () => { throw cause }, 'STORE_UNAVAILABLE']
  const busy = (details) => [async () => { throw new LeafidError('OVERLOADED', 'others wrote first', details) }, 'OVERLOADED']
  // What a verb does, and what its caller is told in the end.
  const STORES = {
    'never answers': [never, 'none'],
    'answers numbers': [numbers, 'GRANT_INVALID'],
    'answers numbers later': [async (ask) => numbers(ask), 'GRANT_INVALID'],
    throws: [boom, 'STORE_UNAVAILABLE'],
    'throws undefined': [() => { throw undefined }, 'STORE_UNAVAILABLE'],
    rejects: [async () => boom(), 'STORE_UNAVAILABLE'],
    'rejects with nothing': [() => Promise.reject(), 'STORE_UNAVAILABLE'],
    'rejects later': [later(boom), 'STORE_UNAVAILABLE'],
    'is a thenable that throws': [() => ({ then() { throw new Error('boom') } }), 'STORE_UNAVAILABLE'],
    'has a getter that throws': [(ask) => ({ request: ask.request, get store() { throw new Error('boom') } }), 'STORE_UNAVAILABLE'],
    'answers a proxy that throws': [() => new Proxy({}, { get: (_, name) => { if (name === 'then') return undefined; throw new Error('boom') } }), 'STORE_UNAVAILABLE'],
    'rejects with a proxy that throws': rejects(new Proxy({}, thrower)),
    'rejects with a getter that throws': rejects(Object.defineProperty(new Error('boom'), 'name', { get: boom })),
    'rejects with a code that throws': rejects({ get code() { throw new Error('boom') } }),
    'rejects with what has no text': rejects({ toString: () => undefined }),
    'rejects with a function without a name': rejects(Object.defineProperty(() => {}, 'name', { value: Symbol('boom') })),
    'says in a text how long to wait': busy({ retryAfter: '5' }),
    'says in a bigint how long to wait': busy({ retryAfter: 5n, until: 5n }),
    'says how long to wait, without end': busy({ retryAfter: Infinity }),
    'says no word': [async () => { throw Object.assign(new LeafidError('OVERLOADED', ''), { message: Symbol('boom') }) }, 'OVERLOADED'],
    'has no such method': [undefined, 'REQUEST_INVALID'],
  }
  const told = {}
  for (const [what, [verb, wanted]] of Object.entries(STORES)) {
    for (const kind of ['segment', 'snowflake']) {
      const errors = []
      const note = (error) => errors.push(error)
      const store = verb === undefined ? {} : { lease_segment: verb, acquire: verb, renew: verb, release: verb }
      try {
        const options = { store, timeout: 60 }
        const ids = kind === 'segment' ? new Segment('orders', options) : new Snowflake('default', options)
        const waits = [ids.next(), ids.take(3), ids.ready(2), ids.fill(new BigUint64Array(4)), ids.nextString()]
        for (const call of [() => ids.nextSync(), () => ids.takeSync(2), () => ids.fillAvailable(new BigUint64Array(2))]) {
          try { call() } catch (error) { note(error) }
        }
        for (const { status, reason } of await Promise.allSettled(waits)) if (status === 'rejected') note(reason)
        // Asks that nobody waits for go on, and fail.
        try { ids.nextSync() } catch (error) { note(error) }
        await ids.close()
        try { ids.nextSync() } catch (error) { note(error) }
      } catch (error) {
        note(error)
      }
      const strange = errors.filter((error) => !(error instanceof LeafidError && error instanceof Error && error.message.length > 10))
      const codes = new Set(errors.map(({ code, cause }) => (code === 'TIMED_OUT' ? cause?.code : code)))
      const isTold = wanted === 'none' || codes.has(wanted)
      told[\`\${what}, \${kind}\`] = strange.length === 0 && errors.length > 0 && isTold ? 'fine' : [...codes, ...strange.map(String)]
    }
  }
  // In the background, where nobody awaits what an ask comes to; and the asks go on.
  rows.createTag('background', { step: 10, max_step: 10 })
  for (const [what, [verb]] of Object.entries(STORES)) {
    if (verb === undefined || what === 'never answers') continue
    let asks = 0
    const orders = new Segment('background', { store: { lease_segment: (ask) => (asks++ % 2 === 1 ? verb(ask) : rows.lease_segment(ask)) } })
    // A range, what fails in the background, and the next.
    const ids = []
    for (const end = Date.now() + 60_000; ids.length < 15 && Date.now() < end; ) {
      try {
        ids.push(orders.nextSync())
      } catch (error) {
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    told[\`\${what}, in the background\`] = ids.length === 15 ? 'fine' : [\`\${ids.length} IDs\`]
    await orders.close()
  }
  // The module goes on.
  const after = [new Segment('orders', { store: rows }).nextSync(), new Snowflake('default', { store: rows }).nextSync()].map((id) => id > 0n)
  await new Promise((resolve) => setTimeout(resolve, 50))
  console.log(JSON.stringify({ told, after }))`

// Together, for most of it waits.
describe('stores that do wrong', { concurrency: true }, () => {
  for (const entry of ['leafid', 'leafid/inline']) {
    test(`${entry}: a store’s mistakes are reported, and nothing crashes`, async () => {
      const program = PROGRAM.replace("from 'leafid'", `from '${entry}'`)
      const options = { cwd: import.meta.dirname, timeout: 300_000 }
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options)
      assert.equal(stderr, '')
      const { told, after } = JSON.parse(stdout)
      assert.deepEqual(told, Object.fromEntries(Object.keys(told).map((what) => [what, 'fine'])))
      assert.deepEqual(after, [true, true])
    })
  }
})

test('the control: a rejection that nobody handles ends a process', () => {
  const { status, stderr } = ranNode(['--input-type=module', '-e', "Promise.reject(new Error('boom')); setTimeout(() => {}, 1_000)"])
  assert.ok(status === 1 && stderr.includes('boom'), stderr)
})

test('an engine that breaks twice: only who draws hears of it', () => {
  const program = `
    const { Instance } = WebAssembly
    let isBroken = false
    WebAssembly.Instance = class extends Instance {
      get exports() {
        const real = super.exports
        if (!('fillAvailable' in real)) return real
        const breaks = (act) => (...given) => {
          if (isBroken) throw new WebAssembly.RuntimeError('unreachable')
          return act(...given)
        }
        return Object.fromEntries(Object.entries(real).map(([name, act]) => [name, typeof act === 'function' ? breaks(act) : act]))
      }
    }
    const { Segment, memoryStore } = await import('leafid/inline')
    const rows = memoryStore()
    rows.createTag('orders', { step: 10, max_step: 10 })
    let answer
    const orders = new Segment('orders', { store: { lease_segment: (ask) => (answer === undefined ? (answer = () => {}, rows.lease_segment(ask)) : new Promise((resolve) => (answer = () => resolve(rows.lease_segment(ask))))) } })
    for (let n = 0; n < 10; n++) orders.nextSync()
    isBroken = true
    answer()
    await new Promise(setImmediate)
    const told = []
    try { orders.nextSync() } catch (error) { told.push(error.name) }
    isBroken = false
    answer = undefined
    told.push(await orders.next() > 10n)
    console.log(JSON.stringify(told))`
  const { status, stdout, stderr } = ranNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname })
  assert.deepEqual([status, stderr, stdout], [0, '', '["RuntimeError",true]\n'])
})
