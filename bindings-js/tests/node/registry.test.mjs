// `leafid/registry`: the store's side for stores written in JavaScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake } from 'leafid'
import { acquire, lease_segment, namespace_row, release, renew } from 'leafid/registry'
import { refuses } from '../support/stores.mjs'

const STORE = '5a'.repeat(16)

/** A store of a few lines, as a user would write it: rows in an object, decided by the registry. */
function smallStore(now) {
  const tags = { orders: { max_id: '1', step: 100, max_step: 1_000 } }
  const namespace = { layout: 'leaf', max_window_ms: 10_000 }
  const workers = [{ worker: 0 }, { worker: 1 }]
  const keep = ({ row, grant }) => {
    workers[row.worker] = row
    return grant
  }
  return {
    workers,
    lease_segment(ask) {
      const { row, grant } = lease_segment(STORE, tags[ask.tag], ask, now())
      tags[ask.tag] = row
      return grant
    },
    acquire(ask) {
      const mine = workers.find(({ key }) => key === ask.request)
      const [rested] = [...workers].sort((a, b) => Number(BigInt(a.reserved_until ?? 0) - BigInt(b.reserved_until ?? 0)))
      return keep(acquire(STORE, namespace, { mine, rested }, ask, now()))
    },
    renew: (ask) => keep(renew(STORE, namespace, workers[ask.worker], ask, now())),
    release: (ask) => keep(release(STORE, workers[ask.worker], ask)),
  }
}

test('a store of a few lines serves both generators', async () => {
  const store = smallStore(() => Date.now())
  const orders = new Segment('orders', { store })
  for (let id = 1n; id < 500n; id++) assert.equal(await orders.next(), id)
  const ids = new Snowflake('any', { store, owner: 'me' })
  assert.equal(typeof (await ids.next()), 'bigint')
  assert.equal(store.workers[0].owner, 'me')
  await ids.close()
  assert.equal(store.workers[0].key, undefined)
})

test('rows and answers are plain data, with bigints for 64 bits', () => {
  const ask = { tag: 'orders', request: '01'.repeat(16) }
  const { row, grant } = lease_segment(STORE, { max_id: 1n, step: 10, max_step: 10, deleted: false }, ask, 1_800_000_000_000)
  assert.deepEqual(row, { max_id: 11n, step: 10, max_step: 10, deleted: false })
  assert.deepEqual([grant.start, grant.end, grant.request], [1n, 11n, ask.request])
  assert.equal(Object.getPrototypeOf(row), Object.prototype)
})

test('acquire: the row to write, another one that is freed, and the answer', async () => {
  const now = 1_800_000_000_000
  const namespace = namespace_row({ layout: 'leaf', workers: { start: 0, end: 4 } })
  const ask = { namespace: 'n', owner: 'me', request: '01'.repeat(16), sticky: true, strict: false }
  const one = acquire(STORE, namespace, { rested: { worker: 1 } }, ask, now)
  assert.deepEqual([one.row.worker, one.row.sticky, one.grant.worker, 'freed' in one], [1, true, 1, false])
  // A race of two servers: the same owner keeps two numbers.
  const other = acquire(STORE, namespace, { rested: { worker: 2 } }, { ...ask, request: '02'.repeat(16) }, now + 5)
  const later = now + 100_000
  const both = acquire(STORE, namespace, { own: one.row, spare: other.row }, { ...ask, request: '03'.repeat(16) }, later)
  assert.deepEqual([both.row.worker, both.freed.worker, both.freed.sticky], [2, 1, false])
  assert.equal(both.freed.reserved_until, one.row.reserved_until)
  // The same request again: the same answer, nothing else to write.
  const again = acquire(STORE, namespace, { mine: both.row }, { ...ask, request: '03'.repeat(16) }, later)
  assert.deepEqual([again.row, again.grant.start, 'freed' in again], [both.row, both.grant.start, false])
  const held = both.row
  const spent = await refuses(() => acquire(STORE, namespace, { rested: held }, { ...ask, owner: 'you', sticky: false, request: '04'.repeat(16) }, later + 50), 'WORKERS_EXHAUSTED')
  assert.ok(spent.until > later && spent.retryAfter === spent.until - (later + 50), `${spent.until}`)
  assert.match(spent.message, /^namespace `n` has no free worker number, the first is free in \d+ s: wait/)
})

test('rows of other worker numbers, and none at all', async () => {
  const now = 1_800_000_000_000
  const namespace = namespace_row({ layout: 'leaf' })
  const asked = { namespace: 'n', request: '01'.repeat(16), store: STORE, worker: 3, key: '02'.repeat(16), have_until: 5n }
  const given = { namespace: 'n', store: STORE, worker: 3, key: '02'.repeat(16), unused_from: 5n }
  for (const [row, code] of [[{ worker: 3 }, 'LEASE_LOST'], [{}, 'REQUEST_INVALID'], [{ worker: 4 }, 'REQUEST_INVALID'], [undefined, 'REQUEST_INVALID'], [5, 'REQUEST_INVALID']]) {
    for (const act of [() => renew(STORE, namespace, row, asked, now), () => release(STORE, row, given)]) await refuses(act, code)
  }
  const ask = { namespace: 'n', owner: 'me', request: '01'.repeat(16), sticky: false, strict: false }
  await refuses(() => acquire(STORE, namespace, { rested: { owner: 'me' } }, ask, now), 'REQUEST_INVALID')
})
