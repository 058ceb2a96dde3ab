// How processes end: they release their worker numbers, and leafid does not keep them alive. And closed generators
// leave no memory behind.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { closeOnSignal } from 'leafid/node'
import { ranNode, startNode } from '../support/ends.mjs'
import { storeFor } from '../support/store.mjs'
import { refusal, until } from '../support/stores.mjs'

/** Draws, and stays up as a server does. If it `listens`, it ends when its parent has seen the signal's effect. */
const SERVER = `
  import { Segment, Snowflake } from 'leafid'
  import { closeOnSignal } from 'leafid/node'
  const [how, store] = process.argv.slice(1)
  const orders = new Segment('orders', { store, timeout: 300_000 })
  const events = new Snowflake('default', { store, timeout: 300_000 })
  closeOnSignal(orders, events)
  if (how === 'listens') process.once('SIGTERM', () => process.once('message', () => process.exit(7)))
  await orders.take(80)
  await events.take(80)
  setInterval(() => {}, 1_000)
  process.send('ready')`
const tags = { orders: { step: 50, max_step: 100 } }

/** The worker numbers in use. */
async function held(store) {
  const { workers } = await (await fetch(`${store.url}/v1/workers/default`)).json()
  return workers.filter((worker) => worker.held)
}

for (const [how, ended] of [['signal', [null, 'SIGTERM']], ['listens', [7, null]]]) {
  test(`closeOnSignal gives the worker number back, where the program ${how === 'signal' ? 'leaves ending to it' : 'ends by itself'}`, { timeout: 600_000 }, async (t) => {
    const store = await storeFor(t, { tags })
    const child = startNode(['--input-type=module', '-e', SERVER, how, store.url], { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    child.stderr.pipe(process.stderr)
    // A process that ends instead sends no message.
    const [message] = await Promise.race(['message', 'exit'].map((event) => once(child, event)))
    assert.equal(message, 'ready')
    const during = await held(store)
    const ends = once(child, 'exit')
    child.kill('SIGTERM')
    if (how === 'listens') {
      await until(async () => (await held(store)).length === 0)
      child.send('end')
    }
    assert.deepEqual(await ends, ended)
    assert.deepEqual([during.length, (await held(store)).length], [1, 0])
  })
}

test('closeOnSignal takes generators, and can be taken back', async () => {
  for (const wrong of [[], [undefined], ['orders'], [{}]]) assert.equal((await refusal(() => closeOnSignal(...wrong))).code, 'REQUEST_INVALID')
  const before = process.listenerCount('SIGTERM')
  const undo = closeOnSignal({ close: async () => {} })
  assert.equal(process.listenerCount('SIGTERM'), before + 1)
  undo()
  assert.equal(process.listenerCount('SIGTERM'), before)
})

test('a lease that nobody waits for keeps no process alive', async (t) => {
  const store = await storeFor(t, { tags })
  const program = `
    import { Segment, Snowflake, httpStore } from 'leafid'
    let asks = 0
    const fetch = (url, init) => (++asks > 2 ? new Promise(() => {}) : globalThis.fetch(url, init))
    const store = httpStore('${store.url}', { fetch })
    const [orders, events] = [new Segment('orders', { store }), new Snowflake('default', { store })]
    await orders.next()
    await events.next()
    // Draws below the mark at which the next range is asked for; that ask is never answered.
    orders.takeSync(45)
    await new Promise((resolve) => setImmediate(resolve))
    console.log(asks)`
  const { status, stdout, stderr } = ranNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname })
  assert.deepEqual([status, stdout, stderr], [0, '3\n', ''])
})

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
