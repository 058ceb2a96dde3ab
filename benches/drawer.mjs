// One process, thread or cluster worker of beside.mjs: draws as told, and reports the IDs.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { LIBRARIES } from './peers.mjs'

/** IDs of a life shorter than a millisecond. */
const LIFE = 200
/** How long to draw before the clock is set, in ms. */
const SPAN_MS = 400
const HOUR_MS = 3_600_000

const clock = Date.now
const ids = []
let errors = 0

/** Draws as a server does, in turns of the event loop; counts errors, and goes on. */
async function drawn(draw, isDone) {
  while (!isDone()) {
    try {
      for (let n = 0; n < 50; n++) ids.push(await draw())
    } catch {
      errors += 1
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Draws for a while with each of these offsets of the machine's clock. */
async function stepped(draw, shifts) {
  for (const shift of shifts) {
    Date.now = () => clock() + shift
    const end = performance.now() + SPAN_MS
    await drawn(draw, () => performance.now() > end)
  }
}

const ACTS = {
  draw: (draw, { count }) => drawn(draw, () => ids.length >= count),
  live(draw, { at }) {
    Date.now = () => at
    return drawn(draw, () => ids.length >= LIFE)
  },
  stepBack: (draw) => stepped(draw, [0, -250]),
  // The clock goes an hour forward, then back to where IDs were drawn before.
  hourBack: (draw) => stepped(draw, [-HOUR_MS, 0, -HOUR_MS - 2 * SPAN_MS]),
}

const what = isMainThread ? JSON.parse(cluster.isWorker ? process.env.DRAW : process.argv[2]) : workerData
const { draw, close } = await LIBRARIES[what.library].make()
const tell = (message, done) => {
  if (isMainThread) process.send(message, done)
  else parentPort.postMessage(message)
}
const told = once(isMainThread ? process : parentPort, 'message')
tell('ready')
await told
await ACTS[what.act](draw, what)
Date.now = clock
await close?.()
tell({ ids, errors }, () => process.disconnect())
