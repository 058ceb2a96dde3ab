// Processes, clusters and worker threads of Node and a server on one database, some of them killed, and the database, too.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENGINES } from '../support/databases.mjs'
import { ran, startNode } from '../support/ends.mjs'
import { storeBinary } from '../support/places.mjs'
import { serve } from '../support/store.mjs'

const drawer = fileURLToPath(new URL('../support/database-drawer.mjs', import.meta.url))
const COUNT = 3_000
const PARTS = { process: 1, threads: 3, cluster: 3 }

const leafid = (...words) => {
  const { status, stderr } = ran([storeBinary, ...words])
  assert.equal(status, 0, stderr)
}

/** Draws in a program of its own; killed with -9 when it has told `killAt` IDs. Each is put into `seen`. */
async function draw(place, kind, seen, { form = 'process', killAt = Number.POSITIVE_INFINITY, heard = () => {} } = {}) {
  const stays = Number.isFinite(killAt) ? 'holds' : 'ends'
  const child = startNode([drawer, place, kind, String(COUNT), form, stays])
  let told = ''
  child.stderr.on('data', (chunk) => (told += chunk))
  const closed = once(child, 'close')
  let count = 0
  for await (const line of createInterface(child.stdout)) {
    if (!line.endsWith(';')) continue
    seen.push(`${kind === 'snowflake' ? 's' : ''}${line}`)
    count += 1
    heard(count)
    if (count === killAt) child.kill('SIGKILL')
  }
  const [code, signal] = await closed
  if (stays === 'ends') assert.deepEqual([code, count], [0, COUNT * PARTS[form]], told)
  else assert.equal(signal, 'SIGKILL', told)
}

for (const [name, engine] of Object.entries(ENGINES)) {
  describe(name, () => {
    const { test, before } = engine
    let server
    before(async () => (server = await engine.start()))
    after(() => server?.end())

    function made(database) {
      const url = server.make(database)
      leafid('init', '--store', url)
      leafid('tag', 'create', 'orders', '--step', '100', '--max-step', '1000', '--store', url)
      return url
    }
    const told = (what, seen) => {
      const duplicates = seen.length - new Set(seen).size
      console.log(`${name}: ${what} ${seen.length} IDs, ${duplicates} duplicates`)
      return duplicates
    }

    test('four processes, threads, a cluster and a server, with kills: no number twice', { timeout: 900_000 }, async (t) => {
      const url = made('ids')
      const store = await serve(['--store', url])
      t.after(() => store.stop('SIGKILL'))
      const seen = []
      let restart
      const kill = (count) => {
        if (count < COUNT / 2 || restart !== undefined) return
        restart = server.stop('SIGKILL').then(() => server.start())
      }
      const again = (kind) => draw(url, kind, seen, { killAt: COUNT / 2 }).then(() => draw(url, kind, seen))
      await Promise.all([
        draw(url, 'segment', seen, { heard: kill }),
        draw(url, 'snowflake', seen),
        again('segment'),
        again('snowflake'),
        draw(url, 'segment', seen, { form: 'threads' }),
        draw(url, 'snowflake', seen, { form: 'cluster' }),
        draw(store.url, 'segment', seen),
        draw(store.url, 'snowflake', seen),
      ])
      assert.ok(restart !== undefined, 'the database was killed')
      await restart
      assert.equal(told('all', seen), 0)
      assert.ok(seen.length >= 12 * COUNT, `${seen.length}`)
    })

    test('the control: without the condition of what is written there are duplicates', { timeout: 900_000 }, async () => {
      const url = made('careless')
      const seen = []
      await Promise.all([1, 2, 3, 4].map(() => draw(url, 'careless', seen)))
      assert.ok(told('careless', seen) > 0)
    })
  })
}
