// The same script on leafid and on four npm libraries: counts duplicate IDs when processes, threads and cluster workers
// draw side by side, after a restart within a millisecond, and when the machine's clock is set back.
//
//     npm install NAME@VERSION … ./dist/leafid-*.tgz        # what peers.mjs names
//     LEAFID_STORE=http://127.0.0.1:8750 node benches/beside.mjs
//
// Every library has its defaults: one that wants a machine number has the one that it takes by itself.
import { fork } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { LIBRARIES } from './peers.mjs'

/** How many draw side by side, and how many IDs each. */
const SIDE_BY_SIDE = 4
const EACH = 20_000
/** A child counts as hanging after this, in ms: a library that polls the clock would wait for an hour. */
const LATE_MS = 15_000

const drawer = new URL('./drawer.mjs', import.meta.url)

/** A child's message, once it was started; of one that hangs or dies, how it ended. */
async function told(child, go, end) {
  const late = new Promise((resolve) => setTimeout(resolve, LATE_MS, [{ ends: 'hangs' }]).unref())
  const died = once(child, 'exit').then(() => [{ ends: 'dies' }])
  const hear = () => Promise.race([once(child, 'message'), late, died])
  await hear()
  await go()
  const [done] = await hear()
  await end()
  return { ids: [], errors: 0, ...done }
}

const inProcess = (what, go) => {
  const child = fork(fileURLToPath(drawer), [JSON.stringify(what)], { serialization: 'advanced' })
  return told(child, async () => child.send(await go()), () => child.kill('SIGKILL'))
}
const inThread = (what, go) => {
  const thread = new Worker(drawer, { workerData: what })
  return told(thread, async () => thread.postMessage(await go()), () => thread.terminate())
}
cluster.setupPrimary({ exec: fileURLToPath(drawer), serialization: 'advanced' })
const inCluster = (what, go) => {
  const worker = cluster.fork({ DRAW: JSON.stringify(what) })
  return told(worker, async () => worker.send(await go()), () => worker.process.kill('SIGKILL'))
}

/** Starts all of them together, once the last is ready. */
const sideBySide = (how) => (library) => {
  let ready = 0
  let letGo
  const go = new Promise((resolve) => (letGo = resolve))
  const isReady = () => {
    ready += 1
    if (ready === SIDE_BY_SIDE) letGo('go')
    return go
  }
  return Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => how({ library, act: 'draw', count: EACH }, isReady)))
}
const alone = (what) => inProcess(what, () => 'go')

const SCENARIOS = {
  '4 processes': sideBySide(inProcess),
  '4 threads': sideBySide(inThread),
  '4 of a cluster': sideBySide(inCluster),
  async 'restart within 1 ms'(library) {
    const life = { library, act: 'live', at: Date.now() }
    return [await alone(life), await alone(life)]
  },
  'clock set back by 250 ms': async (library) => [await alone({ library, act: 'stepBack' })],
  'by an hour': async (library) => [await alone({ library, act: 'hourBack' })],
}

/** Counts duplicate IDs, and lists what else happened. */
function summary(all) {
  const ids = all.flatMap((one) => one.ids)
  const twice = ids.length - new Set(ids).size
  const errors = all.reduce((sum, one) => sum + one.errors, 0)
  const ends = all.map((one) => one.ends).find((how) => how !== undefined)
  const said = [twice.toLocaleString('en'), errors > 0 && `${errors.toLocaleString('en')} errors`, ends]
  return said.filter(Boolean).join(', ')
}

const names = Object.keys(SCENARIOS)
console.log(`| library | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`)
for (const [library, { version }] of Object.entries(LIBRARIES)) {
  const row = []
  for (const name of names) row.push(summary(await SCENARIOS[name](library)))
  console.log(`| ${library} ${version} | ${row.join(' | ')} |`)
}
