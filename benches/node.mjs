// The cost of one ID in Node, beside the engine's floor in the same run.
//
// Needs the installed packages, and the libraries that it imports: `cargo xtask bench` runs it in a folder that has
// them. Of a library only required options are set: the machine number is the one on its own page, or the one that it
// takes by itself.

import { DiscordSnowflake } from '@sapphire/snowflake'
import FlakeId from 'flake-idgen'
import hyperid from 'hyperid'
import { Segment, Snowflake, memoryStore } from 'leafid'
import nodejs from 'nodejs-snowflake'
import uuid from 'snowflake-uuid'
import { table } from './rounds.mjs'

const ROUNDS = 41
const CALLS = 50_000

/** CPU time in µs, which other load does not lengthen, unlike wall-clock time. */
const processor = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
/** Prints a table of ns per ID. */
const show = (title, works) =>
  table(title, 'ns per ID', ROUNDS, works, async ({ ids, run }) => {
    const begin = processor()
    await run()
    return (processor() - begin) * 1000 / ids
  })

let kept = 0n
const repeated = (call, calls = CALLS) => () => {
  for (let n = 0; n < calls; n++) kept = call()
}
const work = (name, run, ids = CALLS) => ({ name, run, ids })

const store = memoryStore()
const numbers = new Segment('bench', { store, step: 1_000_000 })
// Lets a burst run ahead of the clock for the whole bench: the figures are the calls', not the format's.
const stamps = new Snowflake('bench', { store, maxAheadMs: 8_000 })
await numbers.next()
await stamps.next()

let counter = 1n << 40n
let stamp = 2_124_058_566_972_174_397n
const worker = new uuid.Worker(0, 1, { workerIdBits: 5, datacenterIdBits: 5, sequenceBits: 12 })
const snowflake = new nodejs.Snowflake()
const flake = new FlakeId()
const PEERS = {
  'snowflake-uuid': () => worker.nextId(),
  'nodejs-snowflake': () => snowflake.getUniqueID(),
  'flake-idgen': () => flake.next().readBigUInt64BE(),
  '@sapphire/snowflake': () => DiscordSnowflake.generate(),
}
// IDs of slow libraries.
const FEW = 5_000
// Tries again where a library throws for a spent sequence, as its caller would.
const patiently = (draw) => () => {
  for (;;) {
    try {
      return draw()
    } catch {}
  }
}
const drawn = Object.entries(PEERS).map(([name, draw]) => work(name, repeated(patiently(draw), FEW), FEW))
// Together in turns, so that garbage and cold caches of one cost all alike.
await show('Node, one ID, beside libraries', [
  work('a BigInt that counts (the floor)', repeated(() => (counter += 1n))),
  work('`segment.nextSync()`', repeated(() => numbers.nextSync())),
  work('`snowflake.nextSync()`', repeated(() => stamps.nextSync())),
  work('hyperid, 33 characters', repeated(hyperid(), FEW), FEW),
  ...drawn,
  work('`crypto.randomUUID()`, 128 bits', repeated(() => crypto.randomUUID(), FEW), FEW)
])
await show('Node, awaited', [
  work('awaiting a value (the floor)', async () => {
    for (let n = 0; n < CALLS; n++) kept = await counter
  }),
  work('`await segment.next()`', async () => {
    for (let n = 0; n < CALLS; n++) kept = await numbers.next()
  }),
  work('`await snowflake.next()`', async () => {
    for (let n = 0; n < CALLS; n++) kept = await stamps.next()
  })
])
await show('Node, as a decimal string', [
  work('`String(bigint)` of 13 digits (the floor)', repeated(() => String((counter += 1n)))),
  work('`segment.nextStringSync()`', repeated(() => numbers.nextStringSync())),
  work('`String(bigint)` of 19 digits', repeated(() => String((stamp += 1n)))),
  work('`snowflake.nextStringSync()`', repeated(() => stamps.nextStringSync()))
])
// A call made only a few times would measure code that is not compiled yet. No worker has as many IDs in a millisecond:
// the figure is the call's, not the format's.
const FILLED = 1_000_000
store.createNamespace('wide', { layout: { epochMs: 1_700_000_000_000, tickMs: 1, timeBits: 41, workerBits: 2, sequenceBits: 20 } })
const wide = new Snowflake('wide', { store, maxAheadMs: 8_000 })
// One lease is enough: its cost is another figure.
store.createTag('many', { step: 100_000_000, maxStep: 100_000_000 })
const many = new Segment('many', { store })
await Promise.all([wide.next(), many.next()])
const [buffer, other] = [new BigUint64Array(10_000), new BigUint64Array(10_000)]
const filled = (name, fill) => work(name, repeated(fill, FILLED / buffer.length), FILLED)
await show('Node, into a buffer of 10,000', [
  filled('copying a buffer (the floor)', () => buffer.set(other)),
  filled('`segment.fillAvailable(buffer)`', () => many.fillAvailable(buffer)),
  filled('`snowflake.fillAvailable(buffer)`', () => wide.fillAvailable(buffer))
])
await wide.close()
await many.close()
await numbers.close()
await stamps.close()
