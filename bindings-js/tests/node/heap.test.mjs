// Generators that are made and closed leave no memory behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ranNode } from '../support/ends.mjs'

for (const [entry, many] of [['leafid', 100_000], ['leafid/inline', 30_000]]) {
  test(`${entry}: ${many} generators, made and closed, in a small heap`, () => {
    const program = `
      import { Segment, Snowflake, memoryStore } from '${entry}'
      const store = memoryStore()
      let sum = 0n
      for (let n = 0; n < ${many}; n++) {
        const ids = n % 100 === 0 ? new Snowflake('default', { store }) : new Segment('orders', { store, step: 1 })
        sum += ids.nextSync()
        void ids.close()
        if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
        if (n === ${many / 2}) globalThis.half = process.memoryUsage.rss()
      }
      console.log(JSON.stringify({ most: process.memoryUsage.rss() - half, engine: new Segment('orders').stats().engine }))`
    const words = ['--max-old-space-size=24', '--max-semi-space-size=4', '--input-type=module', '-e', program]
    const { status, stdout, stderr } = ranNode(words, { cwd: import.meta.dirname, timeout: 600_000 })
    assert.deepEqual([status, stderr], [0, ''])
    const { most, engine } = JSON.parse(stdout)
    assert.equal(engine, entry === 'leafid' ? 'native' : 'wasm')
    // Outside the heap as well: what the second half of them leaves.
    assert.ok(most / many < 400, `${most} bytes more after the second half of ${many}`)
  })
}

test('the control: kept instead of closed, they do not fit', () => {
  const program = `
    import { Segment, memoryStore } from 'leafid'
    const store = memoryStore()
    globalThis.kept = []
    for (let n = 0; n < 100_000; n++) {
      const ids = new Segment('orders', { store, step: 1 })
      ids.nextSync()
      kept.push(ids)
    }`
  const words = ['--max-old-space-size=24', '--max-semi-space-size=4', '--input-type=module', '-e', program]
  const { status, stderr } = ranNode(words, { cwd: import.meta.dirname, timeout: 600_000 })
  assert.ok(status !== 0 && /heap/.test(stderr), stderr)
})
