// Draws that happen within an ask, from code that the ask calls (a store in this process, a hook, a waiting
// caller), and an engine that breaks there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, httpStore, memoryStore } from 'leafid'
import { BREAKING } from '../support/broken-engine.mjs'
import { ranNode } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'
import { wire } from '../support/stores.mjs'

const { engineBuilds } = await inner()

const repeated = (ids) => ids.length - new Set(ids).size

const KINDS = { Segment, Snowflake }

/** A store of small leases: each ask goes through `between`. */
const through = (between) => {
  const rows = memoryStore()
  rows.createTag('default', { step: 10, maxStep: 10 })
  const verb = (name) => (ask) => between(() => rows[name](ask))
  return { leaseSegment: verb('leaseSegment'), acquire: verb('acquire'), renew: verb('renew'), release: (ask) => rows.release(ask) }
}

/** Draws one ID after another, and on each call of `draw`, which is passed to the maker of the options. */
async function drawn(kind, options) {
  let now = 0
  let isDrawing = false
  const within = []
  const draw = () => {
    // It may call itself indirectly.
    if (isDrawing) return
    isDrawing = true
    try {
      within.push(ids.nextSync())
    } catch {
      // No ID was at hand.
    } finally {
      isDrawing = false
    }
  }
  const ids = new KINDS[kind]('default', { clock: () => now, ...(kind === 'Snowflake' ? { lengthMs: 1_000 } : {}), ...options(draw) })
  const got = []
  for (let n = 0; n < 300; n++) {
    now += 50
    got.push(await ids.next())
  }
  await ids.close()
  assert.ok(within.length > 0, 'nothing was drawn within')
  assert.equal(engineBuilds(), 0, 'the engine broke, and was built again')
  return [...got, ...within]
}

/** A `fetch` that asks a store of small leases. */
const asking = () => {
  const answer = wire(through((act) => act()))
  return async (url, { body }) => new Response(answer({ url: new URL(url).pathname, body }).body)
}
/** A store of which every second ask fails. */
const failing = () => {
  let asks = 0
  return through((act) => {
    if (asks++ % 2 === 1) throw new Error('boom')
    return act()
  })
}
const withGetter = (draw, grant) => Object.defineProperty(grant, 'start', { get: ((start) => () => (draw(), start))(grant.start) })
const callers = {
  'a store that draws before it answers': (draw) => ({ store: through((act) => (draw(), act())) }),
  'a store that draws before it waits': (draw) => ({ store: through(async (act) => (draw(), act())) }),
  'headers of a request to the store': (draw) => ({ store: httpStore('http://store', { fetch: asking(), headers: () => (draw(), { 'x-request-id': 'a' }) }) }),
  'the hook for errors': (draw) => ({ store: failing(), onError: draw }),
  'a field of an answer': (draw) => ({ store: through((act) => withGetter(draw, act())) }),
}
for (const kind of Object.keys(KINDS)) {
  for (const [who, options] of Object.entries(callers)) {
    test(`${kind}: ${who}`, async () => assert.equal(repeated(await drawn(kind, options)), 0))
  }
}

test('a caller waits for a tick, another asks ahead', async () => {
  const store = memoryStore()
  store.createNamespace('small', { layout: { epochMs: 1_700_000_000_000, tickMs: 10, timeBits: 41, workerBits: 10, sequenceBits: 1 } })
  let now = 1_000
  const ids = new Snowflake('small', { store, clock: () => now, maxAheadMs: 0, lengthMs: 1_000 })
  const got = [ids.nextSync(), ids.nextSync()]
  assert.throws(() => ids.nextSync(), { code: 'SEQUENCE_SPENT' })
  const { asks } = ids.stats()
  const waits = ids.next()
  // Within the same turn: no caller has read the clock yet.
  now += 700
  got.push(ids.nextSync())
  assert.ok(ids.stats().asks > asks, 'nothing was asked for')
  now += 10
  got.push(await waits)
  assert.equal(repeated(got), 0)
  await ids.close()
})

test('an engine that breaks twice: only who draws hears of it', () => {
  const program = `${BREAKING}
    const { Segment, memoryStore } = await import('leafid')
    const rows = memoryStore()
    rows.createTag('orders', { step: 10, maxStep: 10 })
    let answer
    const orders = new Segment('orders', { store: { leaseSegment: (ask) => (answer === undefined ? (answer = () => {}, rows.leaseSegment(ask)) : new Promise((resolve) => (answer = () => resolve(rows.leaseSegment(ask))))) } })
    for (let n = 0; n < 10; n++) orders.nextSync()
    breaks = Infinity
    answer()
    await new Promise(setImmediate)
    const told = []
    try { orders.nextSync() } catch (error) { told.push(error.name) }
    breaks = 0
    answer = undefined
    told.push(await orders.next() > 10n)
    console.log(JSON.stringify(told))`
  const { status, stdout, stderr } = ranNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname })
  assert.deepEqual([status, stderr, stdout], [0, '', '["RuntimeError",true]\n'])
})
