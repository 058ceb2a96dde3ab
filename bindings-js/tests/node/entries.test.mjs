// Both entries in one process: the engine of the first stays, and with it what its generators hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, memoryStore } from 'leafid'

test('an entry that is imported later changes nothing for those who draw', async () => {
  const store = memoryStore()
  const ids = [new Segment('orders', { store }), new Snowflake('default', { store })]
  const before = ids.map((one) => one.nextSync())
  const inline = await import('leafid/inline')
  assert.equal(inline.Segment, Segment)
  ids.push(new inline.Segment('orders', { store }))
  const after = ids.flatMap((one) => one.takeSync(200))
  assert.ok(after[0] > before[0] && after[200] > before[1])
  assert.equal(new Set([...before, ...after]).size, 602)
  assert.deepEqual(ids.map((one) => one.stats().engine), Array(3).fill(ids[0].stats().engine))
})
