// A process that draws, writes down what it drew, and ends as it is told: with leases under way.
import { appendFileSync } from 'node:fs'
import { Segment, Snowflake } from 'leafid'
import { closeOnSignal } from 'leafid/node'

const [, , how, store, file] = process.argv
const orders = new Segment('orders', { store, timeout: 300_000 })
const events = new Snowflake('default', { store, timeout: 300_000 })

async function batch() {
  const numbers = await orders.take(80)
  const stamps = await events.take(80)
  appendFileSync(file, [...numbers.map((id) => `n${id}`), ...stamps.map((id) => `s${id}`), ''].join('\n'))
}

/** Says that it is ready, and goes on as a server does. */
function stay() {
  setInterval(() => {}, 1_000)
  process.send('ready')
}

if (how === 'exit') {
  for (let n = 0; n < 5; n++) await batch()
  // A grant on its way is lost, and so is what was drawn and not written down.
  void orders.take(100)
  void events.take(5_000)
  process.exit(0)
} else if (how === 'signal') {
  closeOnSignal(orders, events)
  await batch()
  stay()
} else if (how === 'listens') {
  closeOnSignal(orders, events)
  // It ends when its parent has seen what the signal did.
  process.once('SIGTERM', () => process.once('message', () => process.exit(7)))
  await batch()
  stay()
}
