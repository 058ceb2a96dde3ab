// How processes end, and what they leave: nothing twice, and no worker number that nobody has.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { closeOnSignal } from 'leafid/node'
import { ranNode, scratch, startNode } from '../support/ends.mjs'
import { storeFor } from '../support/store.mjs'
import { refusal, until } from '../support/stores.mjs'

const drawer = fileURLToPath(new URL('../support/life-drawer.mjs', import.meta.url))

/** A fork of this process. */
function forked(words) {
  const child = startNode([drawer, ...words], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => process.stderr.write(chunk))
  return child
}

async function setting(t) {
  const store = await storeFor(t)
  const folder = scratch(t)
  await store.createTag('orders', { step: 50, max_step: 100 })
  return { store, file: (name) => join(folder, name) }
}

const written = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '') : [])

test('forks that exit with leases under way draw nothing twice', async (t) => {
  const { store, file } = await setting(t)
  const all = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      for (let life = 0; life < 4; life++) {
        const [code, signal] = await once(forked(['exit', store.url, file(name)]), 'exit')
        assert.deepEqual([code, signal], [0, null])
      }
      return written(file(name))
    }),
  )
  const ids = all.flat()
  assert.equal(ids.length, 3 * 4 * 5 * 160)
  assert.equal(new Set(ids).size, ids.length)
  // The control: what one of them wrote, counted twice.
  assert.equal(new Set([...ids, ...all[0]]).size, ids.length)
})

/** The worker numbers that somebody holds. */
async function held(store) {
  const { workers } = await (await fetch(`${store.url}/v1/workers/default`)).json()
  return workers.filter((worker) => worker.held)
}

for (const [how, ended] of [['signal', [null, 'SIGTERM']], ['listens', [7, null]]]) {
  test(`closeOnSignal gives the worker number back, where the program ${how === 'signal' ? 'leaves ending to it' : 'ends by itself'}`, { timeout: 600_000 }, async (t) => {
    const { store, file } = await setting(t)
    const child = forked([how, store.url, file('a')])
    // One that ends instead has no message.
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
  const { store } = await setting(t)
  const program = `
    import { createServer } from 'node:http'
    import { Segment, Snowflake, httpStore } from 'leafid'
    let asks = 0
    const fetch = (url, init) => (++asks > 2 ? new Promise(() => {}) : globalThis.fetch(url, init))
    const store = httpStore('${store.url}', { fetch })
    const [orders, events] = [new Segment('orders', { store }), new Snowflake('default', { store })]
    await orders.next()
    await events.next()
    // Below what is left of the range, the next is asked for; that is never answered.
    orders.takeSync(45)
    await new Promise((resolve) => setImmediate(resolve))
    console.log(asks)`
  const { status, stdout, stderr } = ranNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname })
  assert.deepEqual([status, stdout, stderr], [0, '3\n', ''])
})
