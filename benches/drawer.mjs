// One process, thread or cluster worker of beside.mjs: draws as it is told, and says what it drew.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { LIBRARIES } from './peers.mjs'

/** A life that is shorter than a millisecond. */
const LIFE = 200
/** How long is drawn before the clock is set. */
const SPAN_MS = 400
const HOUR_MS = 3_600_000

const clock = Date.now
const ids = []
let errors = 0

/** Draws as a server does, in turns of the event loop; what is thrown is counted, and it goes on. */
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

/** Draws for a while with the machine's clock so far off, then with the next. */
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
  // An hour passes and is taken back, to where it has drawn before.
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
