// Database errors that waiting cannot help are raised at once, with their own code and a remedy. The same table as
// Python's `test_hopeless.py`.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, describe } from 'node:test'
import { Segment } from 'leafid'
import { sqlStore } from 'leafid/node'
import { ENGINES } from '../support/databases.mjs'
import { LONG_MS, atOnce, create, lease } from '../support/hopeless.mjs'
import { refusal, until } from '../support/stores.mjs'

for (const [name, engine] of Object.entries(ENGINES)) {
  describe(name, () => {
    const isMysql = name === 'MySQL'
    const schema = isMysql ? '' : 'leafid.'
    const { test, before } = engine
    let server
    let count = 0
    before(async () => (server = await engine.start()))
    after(() => server?.end())

    const database = () => {
      const name = `hopeless${count++}`
      return { name, url: server.make(name) }
    }
    const as = (url, login) => url.replace(/\/\/\w+@/, `//${login}@`)
    const filled = async (...statements) => {
      const { name, url } = database()
      await sqlStore(url, { create }).leaseSegment(lease())
      for (const sql of statements) server.run(name, sql)
      return { name, url }
    }
    const weak = async () => {
      const { name, url } = await filled()
      const user = `weak_${name}`
      server.run(name, isMysql ? `CREATE USER ${user}@'127.0.0.1'` : `CREATE ROLE ${user} LOGIN`)
      return { name, user, url: as(url, user) }
    }
    const reader = async () => {
      const { name, user, url } = await weak()
      for (const right of isMysql ? [`SELECT ON ${name}.* TO ${user}@'127.0.0.1'`] : [`USAGE ON SCHEMA leafid TO ${user}`, `SELECT ON ALL TABLES IN SCHEMA leafid TO ${user}`]) server.run(name, `GRANT ${right}`)
      return { url }
    }
    const foreign = () => {
      const { name, url } = database()
      server.run(name, isMysql ? 'CREATE TABLE tags (id INT)' : 'CREATE SCHEMA leafid; CREATE TABLE leafid.tags (id INT)')
      return { url }
    }
    const stranger = async () => {
      const { name, url } = database()
      const user = `stranger_${name}`
      if (isMysql) server.run(name, `CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY 'right'`)
      else {
        const rules = server.run(name, 'SHOW hba_file')
        writeFileSync(rules, `host all ${user} 127.0.0.1/32 scram-sha-256\n${readFileSync(rules)}`)
        server.run(name, `CREATE ROLE ${user} LOGIN PASSWORD 'right'`)
        server.run(name, 'SELECT pg_reload_conf()')
      }
      const wrong = as(url, `${user}:wr0ng`)
      // The server reloads the rules a moment later.
      await until(async () => /password/.test((await refusal(() => sqlStore(wrong).leaseSegment(lease()))).message))
      return { url: wrong }
    }

    const CASES = {
      'no tables': [database, 'STORE_UNKNOWN', 'has no tables', 'leafid init ', 'create: true'],
      'no such database': [() => ({ url: server.url('nosuch') }), 'STORE_UNKNOWN', 'CREATE DATABASE'],
      'too old': [() => filled(`UPDATE ${schema}meta SET version = 0`), 'SCHEMA_MISMATCH', 'version 0', 'use the version of leafid'],
      'too new': [() => filled(`UPDATE ${schema}meta SET version = 99`), 'SCHEMA_MISMATCH', 'version 99', 'use the version of leafid'],
      'wrong password': [stranger, 'UNAUTHORIZED', 'check the user and the password'],
      'nobody of that name': [() => ({ url: as(database().url, 'nobody_known') }), 'UNAUTHORIZED', 'check the user and the password'],
      'no rights': [weak, 'FORBIDDEN', 'rights that docs/STORES.md'],
      'may only read': [reader, 'FORBIDDEN', 'rights that docs/STORES.md'],
      'another program’s': [foreign, 'SCHEMA_MISMATCH', "its table `tags` is another program's; give leafid a database of its own"],
    }
    for (const [what, [make, code, ...words]] of Object.entries(CASES)) {
      test(what, async () => atOnce((await make()).url, code, ...words))
    }

    test('tables that go while they are used', async () => {
      const { name, url } = await filled()
      const orders = new Segment('orders', { store: url, timeout: LONG_MS })
      // A first lease that took three seconds was asked for again, and is lost.
      const first = await orders.next()
      assert.ok(first > 1n && first % 10n === 1n, `${first}`)
      server.run(name, isMysql ? 'DROP TABLE meta, tags, namespaces, workers' : 'DROP SCHEMA leafid CASCADE')
      let drawn = 0
      const { code, message } = await refusal(async () => {
        // IDs at hand are used up first.
        for (; drawn < 100_000; drawn++) await orders.next()
      })
      assert.equal(code, 'STORE_UNKNOWN')
      assert.match(message, /its tables are gone/)
      assert.ok(drawn > 0)
    })
  })
}
