// Whatever a store does: an error with a code and figures, no rejection that nobody handles, and a module that goes on.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

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
  // The module goes on.
  const after = [new Segment('orders', { store: rows }).nextSync(), new Snowflake('default', { store: rows }).nextSync()].map((id) => id > 0n)
  await new Promise((resolve) => setTimeout(resolve, 50))
  console.log(JSON.stringify({ told, after }))`

for (const entry of ['leafid', 'leafid/inline']) {
  test(`${entry}: what a store does wrong is told, handled, and over with its generator`, () => {
    const program = PROGRAM.replace("from 'leafid'", `from '${entry}'`)
    const options = { cwd: import.meta.dirname, encoding: 'utf8', timeout: 180_000 }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], options)
    assert.deepEqual([status, stderr], [0, ''])
    const { told, after } = JSON.parse(stdout)
    assert.deepEqual(told, Object.fromEntries(Object.keys(told).map((what) => [what, 'fine'])))
    assert.deepEqual(after, [true, true])
  })
}

test('the control: a rejection that nobody handles ends a process', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', "Promise.reject(new Error('boom')); setTimeout(() => {}, 1_000)"], { encoding: 'utf8' })
  assert.ok(status === 1 && stderr.includes('boom'), stderr)
})
