// Four isolates draw from one store, in a Durable Object or in D1; the runtime is killed half-way.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { says, scratch, startNode, stop } from '../support/ends.mjs'
import { leashRuntime } from '../support/miniflare.mjs'
import { ISOLATES } from '../support/runtime.mjs'
import { until } from '../support/stores.mjs'

const COUNT = 100_000
const AT_ONCE = 4_000
const program = fileURLToPath(new URL('../support/runtime.mjs', import.meta.url))
const source = fileURLToPath(new URL('./ids-worker.mjs', import.meta.url))

// Here, since the system may forbid programs in the runtime's own folder.
leashRuntime()

/** Starts the runtime in its own process group, with its leftovers in the folder. */
async function start(folder) {
  const child = startNode([program, source, folder], { detached: true, env: { ...process.env, TMPDIR: folder } })
  const [, url] = await says(child, /listening on (http:\/\/\S+)\s/)
  return { url, kill: () => stop(child) }
}

async function draw(url, isolate, { store, kind }, n) {
  const response = await fetch(`${url}${isolate}/?${new URLSearchParams({ store, kind, n })}`)
  if (response.status !== 200) throw new Error(`${isolate}: ${await response.text()}`)
  return new BigUint64Array(await response.arrayBuffer())
}

/** Each isolate draws `count` IDs. The runtime is killed after half of them, which loses what is under way. */
async function load(t, { store, kind, count = COUNT }) {
  let runtime
  t.after(() => runtime?.kill())
  const folder = scratch(t)
  runtime = await start(folder)
  const ids = new Set()
  let all = 0
  const left = Object.fromEntries(ISOLATES.map((name) => [name, count]))
  let flying = 0
  const run = async (isolate, isOver) => {
    while (left[isolate] > 0 && !isOver()) {
      flying += 1
      const got = await draw(runtime.url, isolate, { store, kind }, Math.min(AT_ONCE, left[isolate])).finally(() => (flying -= 1))
      for (const id of got) ids.add(id)
      all += got.length
      left[isolate] -= got.length
    }
  }
  const half = (ISOLATES.length * count) / 2
  let isKilled = false
  // Failures before the kill are reported; those it causes are not.
  const loops = ISOLATES.map((name) => run(name, () => isKilled).catch((error) => (isKilled ? undefined : Promise.reject(error))))
  const half_way = Promise.all(loops)
  await Promise.race([half_way, until(() => all >= half, 600_000)])
  isKilled = true
  const underWay = flying
  await runtime.kill()
  await half_way
  runtime = await start(folder)
  await Promise.all(ISOLATES.map((name) => run(name, () => false)))
  const duplicates = all - ids.size
  console.log(`isolates: ${store} ${kind} ${all} IDs, ${duplicates} duplicates, killed under ${underWay} requests`)
  return { ids, duplicates, underWay }
}

for (const store of ['object', 'd1']) {
  test(`numbers over ${store}, and a kill`, { timeout: 900_000 }, async (t) => {
    const { ids, duplicates, underWay } = await load(t, { store, kind: 'segment' })
    assert.deepEqual([duplicates, ids.size], [0, ISOLATES.length * COUNT])
    assert.ok(underWay > 0, 'nothing was under way when it was killed')
    assert.ok([...ids].every((id) => id > 2n ** 53n) && [...ids].some((id) => id % 2n === 1n), 'odd numbers are no doubles here')
  })

  test(`snowflakes over ${store}, and a kill`, { timeout: 900_000 }, async (t) => {
    const { ids, duplicates } = await load(t, { store, kind: 'snowflake' })
    assert.deepEqual([duplicates, ids.size], [0, ISOLATES.length * COUNT])
  })

  test(`the control: without the condition over ${store} there are duplicates`, { timeout: 900_000 }, async (t) => {
    const { duplicates } = await load(t, { store, kind: 'careless', count: 20_000 })
    assert.ok(duplicates > 0)
  })
}
