// How processes end, and what they leave: nothing twice, and no worker number that nobody has.
import assert from 'node:assert/strict'
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { closeOnSignal } from 'leafid/node'
import { startStore } from '../support/store.mjs'
import { refusal } from '../support/stores.mjs'

const drawer = fileURLToPath(new URL('../support/life-drawer.mjs', import.meta.url))

async function setting(t) {
  const store = await startStore()
  const folder = mkdtempSync(join(tmpdir(), 'leafid-life-'))
  t.after(async () => {
    await store.end()
    rmSync(folder, { recursive: true, force: true })
  })
  await store.createTag('orders', { step: 50, max_step: 100 })
  return { store, file: (name) => join(folder, name) }
}

const written = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '') : [])

test('forks that exit with leases under way, one life after the other, draw nothing twice', async (t) => {
  const { store, file } = await setting(t)
  const all = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      for (let life = 0; life < 4; life++) {
        const child = fork(drawer, ['exit', store.url, file(name)], { execArgv: [] })
        const [code] = await once(child, 'exit')
        assert.equal(code, 0)
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
  test(`closeOnSignal gives the worker number back, where the program ${how === 'signal' ? 'leaves ending to it' : 'ends by itself'}`, async (t) => {
    const { store, file } = await setting(t)
    const child = fork(drawer, [how, store.url, file('a')], { execArgv: [] })
    await once(child, 'message')
    const during = await held(store)
    const ends = once(child, 'exit')
    child.kill('SIGTERM')
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
  const options = { cwd: import.meta.dirname, encoding: 'utf8', timeout: 120_000 }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], options)
  assert.deepEqual([status, stdout, stderr], [0, '3\n', ''])
})
