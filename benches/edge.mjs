// The cost of one ID in workerd, beside the engine's floor in the same run. Timed from outside: in production a
// Worker's clock stands still while it computes.
//
// `cargo xtask bench --only edge` runs it beside the packages, the Worker's starter and the libraries.

import { readFileSync, readdirSync } from 'node:fs'
import { build } from 'esbuild'
import { table } from './rounds.mjs'
import { startWorker } from './tests/support/miniflare.mjs'

const ROUNDS = 7
const IDS = 10_000_000
const BUFFER = 10_000

const worker = await startWorker(`
import { Segment, Snowflake, memoryStore } from 'leafid'
import { Worker, DiscordSnowflake } from './peers.js'

const store = memoryStore()
// A layout with more IDs per millisecond than anybody makes: the figure is the call's, not the format's.
store.createNamespace('bench', { layout: { epochMs: 1_700_000_000_000, tickMs: 1, timeBits: 41, workerBits: 2, sequenceBits: 20 } })
const numbers = new Segment('bench', { store, step: 1_000_000 })
const stamps = new Snowflake('bench', { store })
const uuid = new Worker(0, 1, { workerIdBits: 5, datacenterIdBits: 5, sequenceBits: 12 })
const plain = new BigUint64Array(1024).fill(2n ** 62n)
const buffer = new BigUint64Array(${BUFFER})
const other = new BigUint64Array(${BUFFER})

let kept = 0n
// One loop each, so that the engine compiles it for that call alone.
const WORKS = {
  array: (count) => { for (let n = 0; n < count; n++) kept = plain[n & 1023] },
  segment: (count) => { for (let n = 0; n < count; n++) kept = numbers.nextSync() },
  snowflake: (count) => { for (let n = 0; n < count; n++) kept = stamps.nextSync() },
  uuid: (count) => { for (let n = 0; n < count; n++) kept = uuid.nextId() },
  sapphire: (count) => { for (let n = 0; n < count; n++) kept = DiscordSnowflake.generate() },
  copy: (count) => { for (let n = 0; n < count; n += ${BUFFER}) buffer.set(other) },
  fillSegment: (count) => { for (let n = 0; n < count; n += ${BUFFER}) numbers.fillAvailable(buffer) },
  fillSnowflake: (count) => { for (let n = 0; n < count; n += ${BUFFER}) stamps.fillAvailable(buffer) },
}

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    await Promise.all([numbers.ready(1), stamps.ready(1)])
    WORKS[searchParams.get('work')](Number(searchParams.get('count')))
    return new Response(String(kept))
  }
}
`, { files: { 'peers.js': await peers() } })

/** The peers that run in a Worker at all, as one module. */
async function peers() {
  const contents = "export { Worker } from 'snowflake-uuid'; export { DiscordSnowflake } from '@sapphire/snowflake'"
  const stdin = { contents, resolveDir: import.meta.dirname }
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, logLevel: 'error' })
  return outputFiles[0].text
}

/** The folders of the runtime's threads in Linux's `/proc`. */
function threads() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  return children.filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'workerd').map((pid) => `/proc/${pid}/task`)
}
const runtime = threads()

/** The runtime's CPU time in ns, which other load does not lengthen, unlike wall-clock time. */
function processor() {
  const tasks = runtime.flatMap((folder) => readdirSync(folder).map((task) => readFileSync(`${folder}/${task}/schedstat`, 'utf8')))
  return tasks.reduce((sum, line) => sum + Number(line.split(' ')[0]), 0)
}

/** Measures a request, in ns per ID. */
async function timed({ work, count = IDS }) {
  const begin = processor()
  const response = await fetch(new URL(`/?work=${work}&count=${count}`, worker.url))
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return (processor() - begin) / count
}
const show = (title, works) => table(title, 'ns per ID', ROUNDS, works.map(([name, work, count]) => ({ name, work, count })), timed)

try {
  await show('workerd, one ID', [
    ['a BigInt read from an array (the floor)', 'array'],
    ['`segment.nextSync()`', 'segment'],
    ['`snowflake.nextSync()`', 'snowflake'],
    ['snowflake-uuid', 'uuid', IDS / 10],
    ['@sapphire/snowflake', 'sapphire', IDS / 10],
  ])
  await show('workerd, into a buffer of 10,000', [
    ['copying a buffer (the floor)', 'copy', 30 * IDS],
    ['`segment.fillAvailable(buffer)`', 'fillSegment', 30 * IDS],
    ['`snowflake.fillAvailable(buffer)`', 'fillSnowflake', 3 * IDS],
  ])
} finally {
  await worker.end()
}
