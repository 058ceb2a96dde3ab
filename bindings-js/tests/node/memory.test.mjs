// The memory store: which worker number it gives, what that costs, and `memory:` as the address of one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Layout, Segment, Snowflake, decode, memoryStore } from 'leafid'
import { ranNode } from '../support/ends.mjs'
import { refusal, refuses } from '../support/stores.mjs'

const START = 1_800_000_000_000

function world(workers, layout = 'leaf') {
  let now = START
  const store = memoryStore({ clock: () => now })
  store.createNamespace('n', { layout, workers })
  let requests = 0
  const request = () => (requests += 1).toString(16).padStart(32, '0')
  const acquire = (owner = 'a', more = {}) =>
    store.acquire({ namespace: 'n', request: request(), owner, length_ms: 1_000, sticky: false, strict: false, ...more })
  const told = ({ worker, request: key, end }) => ({ namespace: 'n', store: store.id, worker, key, have_until: end, length_ms: 1_000 })
  return {
    store,
    acquire,
    renew: (grant) => ({ ...store.renew({ ...told(grant), request: request() }), request: grant.request }),
    release: (grant) => store.release({ ...told(grant), unused_from: grant.start }),
    pass: (ms) => (now += ms),
    now: () => now,
  }
}

test('fresh numbers first, then the one that rested longest', () => {
  const { acquire, release, renew, pass } = world({ start: 3, end: 6 })
  const grants = [acquire(), acquire(), acquire()]
  assert.deepEqual(grants.map(({ worker }) => worker), [3, 4, 5])
  pass(500)
  grants[0] = renew(grants[0])
  release(grants[2])
  // 5 was given back, 4 is over before 3.
  assert.equal(acquire().worker, 5)
  pass(600)
  assert.equal(acquire().worker, 4)
  pass(1_000)
  // 3 was over at 1,500 and 5 as well, 4 is held until 2,100.
  assert.deepEqual([acquire().worker, acquire().worker].sort(), [3, 5])
})

test('it chooses as a look at every row would', () => {
  const { store, acquire, renew, release, pass, now } = world({ start: 0, end: 40 })
  const held = new Map()
  const until = new Map()
  const at = (ms) => BigInt(ms - Layout.leaf.epochMs)
  let state = 5
  let given = 0
  for (let turn = 0; turn < 4_000; turn++) {
    state = (state * 48271) % 2147483647
    const [what, which] = [state % 7, [...held.values()][(state >> 3) % (held.size || 1)]]
    if (what < 3) {
      const free = Array.from({ length: 40 }, (_, worker) => until.get(worker) ?? 0n)
      const first = free.reduce((best, end) => (end < best ? end : best))
      try {
        const grant = acquire()
        assert.equal(until.get(grant.worker) ?? 0n, first, `turn ${turn}`)
        assert.ok(first <= at(now()))
        held.set(grant.worker, grant)
        until.set(grant.worker, grant.end)
        given += 1
      } catch (error) {
        assert.equal(error.code, 'WORKERS_EXHAUSTED', error.stack)
        assert.ok(first > at(now()))
        assert.deepEqual([error.until, error.retryAfter], [Number(first) + Layout.leaf.epochMs, Number(first - at(now()))])
      }
    } else if (what === 3) pass(state % 400)
    else if (which !== undefined && what < 6) {
      const grant = renew(which)
      held.set(grant.worker, grant)
      until.set(grant.worker, grant.end)
    } else if (which !== undefined) {
      release(which)
      held.delete(which.worker)
      until.set(which.worker, which.start)
      if (state % 5 === 0) store.revoke('n', which.worker)
    }
  }
  assert.ok(given > 500, `${given}`)
})

test('a number that a sticky owner keeps comes last, and is the owner’s again', async () => {
  const { acquire, pass } = world({ start: 0, end: 2 })
  const sticky = { sticky: true, strict: false }
  const mine = acquire('keeper', sticky)
  pass(2_000)
  assert.equal(acquire('b').worker, 1)
  await refuses(() => acquire('b'), 'WORKERS_EXHAUSTED')
  pass(2_000)
  assert.equal(acquire('c').worker, 1)
  assert.equal(acquire('keeper', sticky).worker, mine.worker)
})

test('of two numbers that one owner keeps the older is freed', () => {
  const { store, acquire, pass } = world({ start: 0, end: 4 })
  const sticky = { sticky: true, strict: false }
  const mine = acquire('keeper', sticky)
  // While it is held another is borrowed, which is not kept; the range moves, and another is.
  store.setWorkers('n', { start: 2, end: 4 })
  const other = acquire('keeper', sticky)
  assert.equal(other.worker, 2)
  store.setWorkers('n', { start: 0, end: 4 })
  pass(100_000)
  for (const owner of ['x', 'y', 'z']) assert.notEqual(acquire(owner).worker, other.worker)
  assert.equal(acquire('keeper', sticky).worker, other.worker)
  assert.equal(mine.worker, 0)
})

test('a number that left the range is lost, and nobody gets it', async () => {
  const { store, acquire, renew, release, pass } = world({ start: 0, end: 2 })
  const grant = acquire()
  store.setWorkers('n', { start: 1, end: 2 })
  assert.equal((await refusal(() => renew(grant))).code, 'LEASE_LOST')
  assert.deepEqual(release(grant), {})
  pass(100_000)
  assert.equal(acquire().worker, 1)
  assert.equal((await refusal(() => acquire())).code, 'WORKERS_EXHAUSTED')
  store.setWorkers('n', { start: 0, end: 2 })
  assert.equal(acquire().worker, 0)
})

test('a number without a row is leased to nobody, in the range or not', async () => {
  const { renew, release, store } = world({ start: 0, end: 2 })
  for (const worker of [1, 5, 4_000_000_000]) {
    const grant = { worker, request: '0a'.repeat(16), start: 1n, end: 5n }
    assert.equal((await refusal(() => renew(grant))).code, 'LEASE_LOST', String(worker))
    assert.equal((await refusal(() => release(grant))).code, 'LEASE_LOST', String(worker))
  }
  for (const worker of [2, -1, 1.5, undefined]) assert.equal((await refusal(() => store.revoke('n', worker))).code, 'WORKER_INVALID')
})

test('setWorkers: what a namespace cannot hand out', async () => {
  const { store, acquire } = world({ start: 0, end: 2 })
  for (const workers of [{ start: 0, end: 1_025 }, { start: 5, end: 5 }, { start: 6, end: 5 }]) {
    assert.equal((await refusal(() => store.setWorkers('n', workers))).code, 'WORKER_INVALID')
  }
  assert.equal((await refusal(() => store.setWorkers('nowhere', { start: 0, end: 1 }))).code, 'NAMESPACE_UNKNOWN')
  assert.deepEqual([acquire().worker, acquire().worker], [0, 1])
})

test('a namespace that is there is not made otherwise', async () => {
  const store = memoryStore()
  const wanted = { layout: 'edge', workers: { start: 3, end: 9 }, max_window_ms: 60_000 }
  for (const spec of [wanted, wanted, { layout: 'edge' }]) store.createNamespace('eu', spec)
  for (const other of [{}, { ...wanted, workers: { start: 0, end: 9 } }, { ...wanted, max_window_ms: 1_000 }]) {
    await refuses(() => store.createNamespace('eu', other), 'LAYOUT_MISMATCH', /^namespace `eu` exists already, and not as declared: `(layout|workers|max_window_ms)` is `.*`, not `.*`; use it, or take another name$/)
  }
})

test('an acquire costs the same, however many numbers were used', () => {
  const cost = (used) => {
    const { acquire, release, pass } = world({ start: 0, end: used }, 'edge')
    for (let n = 0; n < used; n++) release(acquire())
    const took = []
    for (let round = 0; round < 40; round++) {
      const began = performance.now()
      for (let n = 0; n < 50; n++) release(acquire())
      took.push(performance.now() - began)
      pass(1)
    }
    return Math.min(...took)
  }
  const [few, many] = [cost(16), cost(2_048)]
  assert.ok(many < 8 * few, `${many} ms with 2,048 numbers, ${few} ms with 16`)
})

test('`memory:`: one name is one store', async () => {
  const [one, other] = [new Segment('orders', { store: 'memory:shared' }), new Segment('orders', { store: 'memory:shared' })]
  const ids = new Set()
  for (let turn = 0; turn < 3_000; turn++) ids.add(await one.next()).add(await other.next())
  assert.equal(ids.size, 6_000)
})

test('`memory:`: another name is another store', async () => {
  assert.equal(await new Segment('orders', { store: 'memory:a' }).next(), 1n)
  assert.equal(await new Segment('orders', { store: new URL('memory:b') }).next(), 1n)
})

test('`memory:` for snowflakes', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => new Snowflake('default', { store: 'memory:flakes' }).next()))
  assert.equal(new Set(ids.map((id) => decode(id).worker)).size, 3)
})

test('`memory:` may stand in the environment', () => {
  const program = "import { Segment } from 'leafid'; const s = new Segment('orders'); console.log(await s.next(), await s.next())"
  const run = ranNode(['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, LEAFID_STORE: 'memory:' },
  })
  assert.equal(run.stdout, '1n 2n\n', run.stderr)
})
