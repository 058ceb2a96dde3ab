// What one ID costs in workerd, beside the floor of the engine in the same run.
//
// `cargo xtask bench --only edge` runs it beside the installed packages and the Worker's starter.

import { startWorker } from './tests/support/miniflare.mjs'

const worker = await startWorker(`
import { Segment, Snowflake, memoryStore } from 'leafid'

const ROUNDS = 11
const CALLS = 200_000
let kept = 0n

/** Nanoseconds per ID of each work, the median of rounds taken in turns. Here, unlike in production, the clock runs. */
function inTurns(works) {
  const taken = works.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, [, ids, run]] of works.entries()) {
      const begin = Date.now()
      run()
      taken[at].push((Date.now() - begin) * 1e6 / ids)
    }
  }
  return works.map(([name], at) => [name, taken[at].sort((a, b) => a - b)[ROUNDS >> 1]])
}

const repeated = (call, calls = CALLS) => () => {
  for (let n = 0; n < calls; n++) kept = call()
}

export default {
  async fetch() {
    const store = memoryStore()
    const numbers = new Segment('bench', { store, step: 1_000_000 })
    const stamps = new Snowflake('bench', { store })
    await numbers.next()
    await stamps.next()
    const plain = new BigUint64Array(1024)
    let at = 0
    const buffer = new BigUint64Array(10_000)
    const other = new BigUint64Array(10_000)
    const one = inTurns([
      ['a BigInt read from an array (the floor)', CALLS, repeated(() => plain[at++ & 1023])],
      ['\`segment.nextSync()\`', CALLS, repeated(() => numbers.nextSync())],
      ['\`snowflake.nextSync()\`', CALLS, repeated(() => stamps.nextSync())],
    ])
    const many = inTurns([
      ['copying a buffer (the floor)', 3_000 * 10_000, repeated(() => buffer.set(other), 3_000)],
      ['\`segment.fillAvailable(buffer)\`', 3_000 * 10_000, repeated(() => numbers.fillAvailable(buffer), 3_000)],
    ])
    return Response.json([['workerd, one ID', one], ['workerd, into a buffer of 10,000', many]])
  }
}
`)

for (const [title, figures] of await (await worker.fetch('/')).json()) {
  console.log(`\n| ${title} | ns per ID | × floor |\n|---|---|---|`)
  for (const [name, ns] of figures) console.log(`| ${name} | ${ns.toFixed(1)} | ${(ns / figures[0][1]).toFixed(2)} |`)
}
await worker.end()
