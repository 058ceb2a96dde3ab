// Processes with a state file, killed again and again; the store is away during every second one.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
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

// IDs of more time than a life lasts on a busy machine, and less than a first window.
const COUNT_OF_CONTROL = 13_000

/**
 * One life, killed after `count` printed IDs. If its window is used up before, it needs the store, and prints so.
 * `careless`, the control, undoes all but the first of its writes.
 */
async function live({ url, folder }, { count, timeout, careless }) {
  const state = join(folder, 'state')
  const child = startNode([drawer, url, state, String(count), String(timeout)])
  const ids = []
  let first
  const { told } = await lines(child, (line) => {
    if (ids.push(BigInt(line.slice(0, -1))) === count) child.kill('SIGKILL')
    first ??= readFileSync(state)
  })
  // Without an ID, nothing was written.
  if (careless && first !== undefined) writeFileSync(state, first)
  assert.ok(ids.length === count || told.includes('TIMED_OUT'), told)
  return ids
}

async function lives(t, enough, { count = COUNT, careless = false } = {}) {
  const store = await storeFor(t, { listen: `127.0.0.1:${await freePort()}`, namespaces: { small: { layout: LAYOUT } } })
  let running = store
  let all = []
  let [alone, duplicates] = [0, 0]
  for (let pair = 0; pair < MOST && !enough(alone, duplicates); pair++) {
    if (pair > 0) running = await storeFor(t, { folder: store.folder, listen: new URL(store.url).host })
    const before = await live(store, { count, timeout: 600_000, careless })
    await running.stop('SIGKILL')
    const after = await live(store, { count, timeout: 10_000, careless })
    all = all.concat(before, after)
    alone += Number(after.length === count)
    duplicates = all.length - new Set(all).size
  }
  console.log(`state file${careless ? ', careless' : ''}: ${alone} lives without the store, ${all.length} IDs, ${duplicates} duplicates`)
  return { all, alone, duplicates }
}

test('a killed process goes on while the store is away', { skip, timeout: 900_000 }, async (t) => {
  const { all, alone, duplicates } = await lives(t, (alone) => alone === ALONE)
  assert.deepEqual([alone, duplicates], [ALONE, 0])
  assert.ok(all.every((id, at) => at === 0 || id > all[at - 1]), 'each life goes on above the one before')
})

test('the control: without the later writes there are duplicates', { skip, timeout: 900_000 }, async (t) => {
  const { duplicates } = await lives(t, (_, duplicates) => duplicates > 0, { count: COUNT_OF_CONTROL, careless: true })
  assert.ok(duplicates > 0)
})
