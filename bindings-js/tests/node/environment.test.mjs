// The store of LEAFID_STORE, which is looked for with the first ID; one that is given is checked at once.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Segment, Snowflake } from 'leafid'
import { refuses } from '../support/stores.mjs'

beforeEach(() => delete process.env.LEAFID_STORE)

for (const Kind of [Segment, Snowflake]) {
  test(`a module with a ${Kind.name} loads without it`, async () => {
    const ids = new Kind('default')
    const isRefused = async (words) => {
      for (const call of [() => ids.check(), () => ids.next(), () => ids.nextSync()]) await refuses(call, 'REQUEST_INVALID', words)
    }
    await isRefused(/no store is named/)
    process.env.LEAFID_STORE = 'ids.db'
    await isRefused(/a store's address is like/)
    process.env.LEAFID_STORE = 'memory:environment'
    ids.check()
    assert.equal(ids.stats().asks, 0, 'it asks for nothing')
    const first = await ids.next()
    process.env.LEAFID_STORE = 'memory:another'
    ids.check()
    assert.ok((await ids.next()) > first, 'the store stays once it is found')
    assert.equal(ids.stats().asks, 1)
  })
}

test('what is given is checked at once', async () => {
  await refuses(() => new Segment('orders', { store: 'ids.db' }), 'REQUEST_INVALID', /a store's address is like/)
  await refuses(() => new Segment('orders', { store: {} }), 'REQUEST_INVALID', /has no method `leaseSegment`/)
})
