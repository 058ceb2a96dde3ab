// Processes of Node and a server on one file, some of them killed.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startNode } from '../support/ends.mjs'
import { storeFor } from '../support/store.mjs'

const drawer = fileURLToPath(new URL('../support/file-drawer.mjs', import.meta.url))
const COUNT = 10_000

/** Draws `n` IDs in a process of its own; killed with -9 when it has told `killAt` of them. */
async function draw(place, kind, n, seen, killAt = Number.POSITIVE_INFINITY) {
  const child = startNode([drawer, place, kind, String(n), killAt <= n ? 'holds' : 'ends'])
  let told = ''
  child.stderr.on('data', (chunk) => (told += chunk))
  const closed = once(child, 'close')
  let count = 0
  for await (const line of createInterface(child.stdout)) {
    if (!line.endsWith(';')) continue
    seen.push(line)
    count += 1
    if (count === killAt) child.kill('SIGKILL')
  }
  const [code, signal] = await closed
  if (killAt === Number.POSITIVE_INFINITY) assert.deepEqual([code, count], [0, n], told)
  else assert.equal(signal, 'SIGKILL', told)
}

async function load(t, kind, { careless = false } = {}) {
  const store = await storeFor(t, { tags: { orders: { step: 100, max_step: 1_000 } } })
  const path = join(store.folder, 'leafid.db')
  const seen = []
  const own = careless ? 'careless' : kind
  const killed = careless ? [] : [1, 2].map(() => draw(path, kind, COUNT, seen, COUNT / 2).then(() => draw(path, kind, COUNT, seen)))
  await Promise.all([...[1, 2].map(() => draw(path, own, COUNT, seen)), draw(careless ? path : store.url, own, COUNT, seen), ...killed])
  const duplicates = seen.length - new Set(seen).size
  console.log(`files: ${own} ${seen.length} IDs, ${duplicates} duplicates`)
  return { seen, duplicates }
}

for (const kind of ['segment', 'snowflake']) {
  test(`four processes and a server: ${kind}`, { timeout: 900_000 }, async (t) => {
    const { seen, duplicates } = await load(t, kind)
    assert.ok(seen.length >= 6 * COUNT, `${seen.length}`)
    assert.equal(duplicates, 0)
  })
}

test('the control: without the transaction and its condition there are duplicates', { timeout: 900_000 }, async (t) => {
  const { duplicates } = await load(t, 'segment', { careless: true })
  assert.ok(duplicates > 0)
})
