// What one ID costs in Node, beside the floor of the engine in the same run.
//
// Needs the installed packages: `cargo xtask bench` runs it in a folder that has them.

import { Segment, Snowflake, memoryStore } from 'leafid'

const ROUNDS = 21
const CALLS = 100_000

/** Nanoseconds per ID of each work, the median of rounds taken in turns. */
async function inTurns(works) {
  const taken = works.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { ids, run }] of works.entries()) {
      const begin = process.hrtime.bigint()
      await run()
      taken[at].push(Number(process.hrtime.bigint() - begin) / ids)
    }
  }
  return works.map(({ name }, at) => ({ name, ns: taken[at].sort((a, b) => a - b)[ROUNDS >> 1] }))
}

function show(title, figures) {
  console.log(`\n| ${title} | ns per ID | × floor |\n|---|---|---|`)
  for (const { name, ns } of figures) {
    console.log(`| ${name} | ${ns.toFixed(1)} | ${(ns / figures[0].ns).toFixed(2)} |`)
  }
}

let kept = 0n
const repeated = (call) => () => {
  for (let n = 0; n < CALLS; n++) kept = call()
}
const work = (name, run, ids = CALLS) => ({ name, run, ids })

const store = memoryStore()
const numbers = new Segment('bench', { store, step: 1_000_000 })
const stamps = new Snowflake('bench', { store })
await numbers.next()
await stamps.next()

let counter = 1n << 40n
show('Node, one ID', await inTurns([
  work('a BigInt that counts (the floor)', repeated(() => (counter += 1n))),
  work('`segment.nextSync()`', repeated(() => numbers.nextSync())),
  work('`snowflake.nextSync()`', repeated(() => stamps.nextSync())),
  work('`crypto.randomUUID()` (128 bits, for comparison)', repeated(() => crypto.randomUUID()))
]))
show('Node, awaited', await inTurns([
  work('awaiting a value (the floor)', async () => {
    for (let n = 0; n < CALLS; n++) kept = await counter
  }),
  work('`await segment.next()`', async () => {
    for (let n = 0; n < CALLS; n++) kept = await numbers.next()
  })
]))
show('Node, as a decimal string', await inTurns([
  work('`String(bigint)` (the floor)', repeated(() => String((counter += 1n)))),
  work('`segment.nextStringSync()`', repeated(() => numbers.nextStringSync()))
]))
const buffer = new BigUint64Array(10_000)
const other = new BigUint64Array(10_000)
show('Node, into a buffer of 10,000', await inTurns([
  work('copying a buffer (the floor)', () => buffer.set(other), 10_000),
  work('`segment.fillAvailable(buffer)`', () => numbers.fillAvailable(buffer), 10_000),
  work('`snowflake.fillAvailable(buffer)`', () => stamps.fillAvailable(buffer), 10_000)
]))
await numbers.close()
await stamps.close()
