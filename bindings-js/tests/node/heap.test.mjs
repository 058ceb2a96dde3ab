// Closed generators leave no memory behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ranNode } from '../support/ends.mjs'

/** So many that half of them would fill the heap if kept. */
const MANY = 20_000

test('generators, made and closed, in a small heap', () => {
  const program = `
    import { Segment, Snowflake, memoryStore } from 'leafid'
    const store = memoryStore()
    // A turn first: objects made in this one are not collected before it ends.
    const used = async () => (await turn(), gc(), [process.memoryUsage().heapUsed, process.memoryUsage.rss()])
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    let sum = 0n
    for (let n = 0; n < ${MANY}; n++) {
      const ids = n % 100 === 0 ? new Snowflake('default', { store }) : new Segment('orders', { store, step: 1 })
      sum += ids.nextSync()
      void ids.close()
      if (n % 500 === 0) await turn()
      if (n === ${MANY / 2}) globalThis.half = await used()
    }
    const [heap, all] = (await used()).map((bytes, at) => bytes - half[at])
    console.log(JSON.stringify({ heap, all }))`
  const words = ['--expose-gc', '--max-old-space-size=24', '--max-semi-space-size=4', '--input-type=module', '-e', program]
  const { status, stdout, stderr } = ranNode(words, { cwd: import.meta.dirname, timeout: 600_000 })
  assert.deepEqual([status, stderr], [0, ''])
  const { heap, all } = JSON.parse(stdout)
  // The memory left by the second half, in the heap and outside.
  assert.ok(heap / MANY < 40 && all / MANY < 400, `${heap} bytes more in the heap, ${all} in all`)
})
