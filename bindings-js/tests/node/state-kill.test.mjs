// Processes with a state file, killed again and again; the store is away during every second one.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lines } from '../support/drawn.mjs'
import { startNode } from '../support/ends.mjs'
import { freePort } from '../support/port.mjs'
import { storeFor } from '../support/store.mjs'

const drawer = fileURLToPath(new URL('../support/state-drawer.mjs', import.meta.url))
const skip = process.platform === 'linux' ? false : 'there are state files on Linux only'
// Lives that must succeed without the store, and the most pairs of lives until then.
const ALONE = 3
const MOST = 20
// 1,600 IDs a second.
const LAYOUT = { epoch_ms: 1_700_000_000_000, tick_ms: 10, time_bits: 41, worker_bits: 10, sequence_bits: 4 }
// IDs of more than the second that a file reserves at a time.
const COUNT = 1_750

/** One life, killed after `COUNT` printed IDs. If its window is used up before, it needs the store, and prints so. */
async function live({ url, folder }, timeout) {
  const child = startNode([drawer, url, join(folder, 'state'), String(COUNT), String(timeout)])
  const ids = []
  const { told } = await lines(child, (line) => {
    if (ids.push(BigInt(line.slice(0, -1))) === COUNT) child.kill('SIGKILL')
  })
  assert.ok(ids.length === COUNT || told.includes('TIMED_OUT'), told)
  return ids
}

test('a killed process goes on while the store is away', { skip, timeout: 900_000 }, async (t) => {
  const store = await storeFor(t, { listen: `127.0.0.1:${await freePort()}`, namespaces: { small: { layout: LAYOUT } } })
  let running = store
  let all = []
  let alone = 0
  for (let pair = 0; pair < MOST && alone < ALONE; pair++) {
    if (pair > 0) running = await storeFor(t, { folder: store.folder, listen: new URL(store.url).host })
    const before = await live(store, 600_000)
    await running.stop('SIGKILL')
    const after = await live(store, 10_000)
    all = all.concat(before, after)
    alone += Number(after.length === COUNT)
  }
  assert.deepEqual([alone, all.length - new Set(all).size], [ALONE, 0])
  assert.ok(all.every((id, at) => at === 0 || id > all[at - 1]), 'each life goes on above the one before')
})
