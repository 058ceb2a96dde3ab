// Processes with a state file, killed again and again, while their store is away.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startNode } from '../support/ends.mjs'
import { freePort } from '../support/port.mjs'
import { startStore, storeFor } from '../support/store.mjs'

const drawer = fileURLToPath(new URL('../support/state-drawer.mjs', import.meta.url))
const skip = process.platform === 'linux' ? false : 'there are state files on Linux only'
// Lives that have to do without the store, and how many there may be until there were so many.
const ALONE = 3
const MOST = 40
// 1,600 IDs a second: they are drawn in no time, and yet …
const LAYOUT = { epoch_ms: 1_700_000_000_000, tick_ms: 10, time_bits: 41, worker_bits: 10, sequence_bits: 4 }
// … these are more than the second that a file reserves at a time …
const COUNT = 1_750
// … and these more seconds than a life lasts on a busy machine, and fewer than a first window.
const COUNT_OF_CONTROL = 13_000
// A window is over some time, and a life on a busy machine as well.
const ALONE_MS = 10_000

/** One life: what it was given, and whether it was alone. */
async function live(store, words, count) {
  const alone = store.child.signalCode !== null
  const child = startNode([drawer, store.url, join(store.folder, 'state'), String(count), ...words])
  let told = ''
  child.stderr.on('data', (chunk) => (told += chunk))
  const closed = once(child, 'close')
  const ids = []
  const full = new Promise((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (!line.endsWith(';')) return
      ids.push(BigInt(line.slice(0, -1)))
      if (ids.length === count) resolve('full')
    })
  })
  let late
  const patience = new Promise((resolve) => {
    if (alone) late = setTimeout(resolve, ALONE_MS, 'late')
  })
  const came = await Promise.race([full, patience, closed.then(() => 'ended')])
  clearTimeout(late)
  let back
  if (came === 'late') {
    // Its window is used up: it needs the store.
    back = await startStore({ folder: store.folder, listen: new URL(store.url).host })
    await Promise.race([full, closed])
  }
  child.kill('SIGKILL')
  const [, signal] = await closed
  assert.equal(signal, 'SIGKILL', told)
  assert.equal(ids.length, count, told)
  await (back ?? store).stop('SIGKILL')
  return { ids, alone: alone && back === undefined }
}

async function lives(t, words, count, enough) {
  const store = await storeFor(t, { listen: `127.0.0.1:${await freePort()}`, namespaces: { small: { layout: LAYOUT } } })
  let all = []
  let alone = 0
  let duplicates = 0
  let life = 0
  while (life < MOST && !enough(alone, duplicates)) {
    const one = await live(store, words, count)
    all = all.concat(one.ids)
    alone += Number(one.alone)
    duplicates = all.length - new Set(all).size
    life += 1
  }
  console.log(`state file ${words}: ${life} lives, ${alone} without the store, ${all.length} IDs, ${duplicates} duplicates`)
  return { all, alone, duplicates }
}

test('a killed process goes on while the store is away', { skip, timeout: 900_000 }, async (t) => {
  const { all, alone, duplicates } = await lives(t, [], COUNT, (alone) => alone === ALONE)
  assert.deepEqual([alone, duplicates], [ALONE, 0])
  assert.ok(all.every((id, at) => at === 0 || id > all[at - 1]), 'each life goes on above the one before')
})

test('the control: without the writes there are duplicates', { skip, timeout: 900_000 }, async (t) => {
  const { duplicates } = await lives(t, ['careless'], COUNT_OF_CONTROL, (_, duplicates) => duplicates > 0)
  assert.ok(duplicates > 0)
})
