// `leafid/registry`: the store's side for stores written in JavaScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake } from 'leafid'
import { acquire, lease_segment, release, renew } from 'leafid/registry'

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
