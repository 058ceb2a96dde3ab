// Node processes, clusters and worker threads, and a server, on one database; some are killed, and the database, too.
import assert from 'node:assert/strict'
import { after, describe } from 'node:test'
import { ENGINES } from '../support/databases.mjs'
import { drawn, duplicates } from '../support/drawn.mjs'
import { leafid, serve } from '../support/store.mjs'

const COUNT = 3_000

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

    test('processes, threads, a cluster, a server, kills: no duplicates', { timeout: 900_000 }, async (t) => {
      const url = made('ids')
      const store = await serve(['--store', url])
      t.after(() => store.stop('SIGKILL'))
      const seen = []
      let restart
      const kill = (count) => {
        if (count < COUNT / 2 || restart !== undefined) return
        restart = server.kill().then(server.start)
      }
      const again = (kind) => drawn(url, kind, COUNT, seen, { killAt: COUNT / 2 }).then(() => drawn(url, kind, COUNT, seen))
      await Promise.all([
        drawn(url, 'segment', COUNT, seen, { heard: kill }),
        drawn(url, 'snowflake', COUNT, seen),
        again('segment'),
        again('snowflake'),
        drawn(url, 'segment', COUNT, seen, { form: 'threads' }),
        drawn(url, 'snowflake', COUNT, seen, { form: 'cluster' }),
        drawn(store.url, 'segment', COUNT, seen),
        drawn(store.url, 'snowflake', COUNT, seen),
      ])
      assert.ok(restart !== undefined, 'the database was killed')
      await restart
      assert.equal(duplicates(`${name}: all`, seen), 0)
      assert.ok(seen.length >= 12 * COUNT, `${seen.length}`)
    })

    test('the control: without the condition of what is written there are duplicates', { timeout: 900_000 }, async () => {
      const url = made('careless')
      const seen = []
      await Promise.all([1, 2, 3, 4].map(() => drawn(url, 'careless', COUNT, seen)))
      assert.ok(duplicates(`${name}: careless`, seen) > 0)
    })
  })
}
