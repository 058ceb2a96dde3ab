// Stores over an application's connections, in a real PostgreSQL and a real MariaDB.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe } from 'node:test'
import mysql from 'mysql2'
import pg from 'pg'
import { Segment, Snowflake, decode } from 'leafid'
import { sqlStore } from 'leafid/node'
import { conform } from 'leafid/testing'
import { killedAndStopped, together } from '../support/beside.mjs'
import { ENGINES } from '../support/databases.mjs'
import { scratch } from '../support/ends.mjs'
import { leafid } from '../support/store.mjs'
import { refusal, refuses, until } from '../support/stores.mjs'

const TOKEN = '01'.repeat(16)
const lease = (tag = 'orders', more = {}) => ({ tag, request: TOKEN, ...more })
const acquire = (more = {}) => ({ namespace: 'default', owner: 'me', request: TOKEN, sticky: false, strict: false, ...more })
const free = (store, { worker, start, request, store: id }) => store.release({ namespace: 'default', store: id, worker, key: request, unusedFrom: start })
const create = { tags: { orders: { step: 10 } }, namespaces: { shop: { layout: 'edge', workers: { start: 3, end: 4 } } } }

for (const [name, engine] of Object.entries(ENGINES)) {
  describe(name, () => {
    const { test, before } = engine
    let server
    let count = 0
    before(async () => (server = await engine.start()))
    after(() => server?.end())
    const database = () => {
      const made = `ids${(count += 1)}`
      return { name: made, url: server.make(made) }
    }
    /** An application's pool, closed after the test. */
    const open = async (t, url, flavour = 'a pool', ...more) => {
      const { connection, end } = await engine.flavours[flavour](url, ...more)
      t.after(end)
      return connection
    }

    for (const flavour of Object.keys(engine.flavours)) {
      test(`over ${flavour}`, async (t) => {
        const store = sqlStore(await open(t, database().url, flavour), { create })
        assert.deepEqual([(await store.leaseSegment(lease())).start, (await store.leaseSegment(lease())).start], [1n, 11n])
        const orders = new Segment('orders', { store })
        assert.deepEqual(await orders.take(25), Array.from({ length: 25 }, (_, at) => 21n + BigInt(at)))
        const shop = new Snowflake('shop', { store })
        assert.equal(decode(await shop.next(), 'edge').worker, 3)
        await shop.close()
        const at_once = await Promise.all(Array.from({ length: 20 }, () => store.leaseSegment(lease())))
        assert.equal(new Set(at_once.map(({ start }) => start)).size, 20)
      })
    }

    for (const act of [together, killedAndStopped]) {
      test(`beside a server: ${act.name}`, async (t) => {
        const { url } = database()
        await act(t, url, async (options) => sqlStore(await open(t, url), options))
      })
    }

    test('with a journal a restored database grants nothing twice', async (t) => {
      const { name: made, url } = database()
      const journal = scratch(t)
      const granted = async (options) => {
        const store = sqlStore(await open(t, url), options)
        const { start } = await store.leaseSegment(lease())
        const { worker } = await store.acquire(acquire({ request: randomBytes(16).toString('hex') }))
        return `${start} ${worker}`
      }
      const [schema, tables] = [name === 'PostgreSQL' ? 'leafid.' : '', ['namespaces', 'tags', 'workers']]
      await granted({ create })
      for (const table of tables) server.run(made, `CREATE TABLE was_${table} AS SELECT * FROM ${schema}${table}`)
      const back = () => {
        for (const table of tables) server.run(made, `BEGIN; DELETE FROM ${schema}${table}; INSERT INTO ${schema}${table} SELECT * FROM was_${table}; COMMIT`)
      }
      const seen = []
      for (let round = 0; round < 3; round++) {
        seen.push(await granted({ journal }))
        back()
      }
      assert.deepEqual(seen, ['11 1', '21 2', '31 3'])
      assert.equal(await granted({}), '11 1', 'the control')
    })

    test('a temporary table of the application never stands for the store’s', async (t) => {
      const { url } = database()
      const { connection, end } = await engine.lone(url)
      t.after(end)
      const [store, direct] = [sqlStore(connection, { create }), sqlStore(await open(t, url))]
      const starts = [(await store.leaseSegment(lease())).start]
      const real = name === 'MySQL' ? 'tags' : 'leafid.tags'
      await engine.query(connection, `CREATE TEMPORARY TABLE tags AS SELECT * FROM ${real}`)
      if (name === 'MySQL') {
        await assert.rejects(Promise.resolve(store.leaseSegment(lease())), { code: 'STORE_REFUSED', message: /temporary table `tags`/ })
        await assert.rejects(Promise.resolve(sqlStore(connection).leaseSegment(lease())), { code: 'STORE_REFUSED', message: /temporary table `tags`/ })
        await engine.query(connection, 'DROP TEMPORARY TABLE tags')
      }
      for (const each of [store, direct, store]) starts.push((await each.leaseSegment(lease())).start)
      assert.deepEqual(starts, [1n, 11n, 21n, 31n])
    })

    test('Node and the server’s program open each other’s stores', async (t) => {
      const [{ name: made, url: ours }, { url: theirs }] = [database(), database()]
      const store = sqlStore(await open(t, ours), { create: true })
      await refuses(() => store.leaseSegment(lease()), 'TAG_UNKNOWN', /leafid tag create orders --store (postgres|mysql):\/\//)
      await refuses(() => store.acquire(acquire({ namespace: 'shop' })), 'NAMESPACE_UNKNOWN')
      leafid('tag', 'create', 'orders', '--store', ours)
      assert.equal((await store.leaseSegment(lease())).start, 1n)
      leafid('init', '--store', theirs)
      leafid('tag', 'create', 'orders', '--store', theirs)
      const other = sqlStore(await open(t, theirs))
      assert.deepEqual([(await other.leaseSegment(lease())).start, (await other.leaseSegment(lease())).start], [1n, 1001n])
      const ids = new Snowflake('default', { store: other })
      assert.ok(Math.abs(decode(await ids.next()).time - Date.now()) < 60_000)
      await ids.close()
      assert.match(leafid('worker', 'list', 'default', '--store', theirs), /0/)
      // A newer program upgrades the tables during use.
      server.run(made, `UPDATE ${name === 'MySQL' ? '' : 'leafid.'}meta SET version = 99`)
      await refuses(() => store.leaseSegment(lease()), 'SCHEMA_MISMATCH', /has tables of version 99/)
    })

    test('three that make a store at once make one, as declared', async (t) => {
      const { url } = database()
      const declared = { tags: { orders: { step: 10 } }, namespaces: { default: { layout: 'edge', workers: { start: 3, end: 9 } } } }
      const stores = await Promise.all([1, 2, 3].map(async () => sqlStore(await open(t, url), { create: declared })))
      const grants = await Promise.all(stores.map((store, at) => store.acquire(acquire({ owner: `${at}`, request: `0${at}`.repeat(16) }))))
      assert.deepEqual(grants.map(({ worker, layout }) => [worker, layout.workerBits]).sort(), [[3, 16], [4, 16], [5, 16]])
      assert.equal(new Set(grants.map(({ store }) => store)).size, 1)
      assert.equal((await stores[0].leaseSegment(lease())).start, 1n)
      const other = sqlStore(await open(t, url), { create: { tags: { orders: { step: 500 } }, namespaces: { default: { workers: { start: 8, end: 16 } } } } })
      const [window, numbers] = [await refusal(() => other.acquire(acquire())), await refusal(() => other.leaseSegment(lease()))]
      assert.deepEqual([window.code, numbers.code], ['LAYOUT_MISMATCH', 'TAG_EXISTS'])
      assert.match(window.message, /^namespace `default` exists already, and not as declared: `workers` is `3..9`, not `8..16`; .* leafid namespace set default --store (postgres|mysql):/)
      assert.match(numbers.message, /^tag `orders` exists already, and not as declared: `step` is `10`, not `500`; /)
    })

    test('numbers beyond 2^53 and names of any letters are exact', async (t) => {
      const from = '9007199254740993'
      const store = sqlStore(await open(t, database().url), { create: { tags: { wide: { from, step: 1, until: '9223372036854775806' } } } })
      const one = await store.leaseSegment(lease('wide'))
      assert.deepEqual([one.start, one.end], [BigInt(from), BigInt(from) + 1n])
      const { remaining } = await store.leaseSegment(lease('wide', { haveUntil: one.end, store: one.store }))
      assert.equal(remaining, 9223372036854775806n - BigInt(from) - 2n)
      for (const owner of [`o'brien`, String.raw`back\slash\'`, '"; DROP TABLE workers; --', ':worker $1 ? %', 'größe 漢字']) {
        const first = await store.acquire(acquire({ owner, sticky: true, request: TOKEN }))
        await free(store, first)
        const again = await store.acquire(acquire({ owner, sticky: true, request: '02'.repeat(16) }))
        assert.equal(again.worker, first.worker, owner)
        await free(store, again)
      }
      const odd = await refusal(() => store.leaseSegment(lease(`a'; DROP TABLE tags; --`)))
      assert.ok(['TAG_INVALID', 'TAG_UNKNOWN'].includes(odd.code), odd.code)
      assert.equal((await store.leaseSegment(lease('wide'))).start, BigInt(from) + 2n)
    })

    test('a connection inside a transaction is refused, and the transaction goes on', async (t) => {
      const { url } = database()
      await sqlStore(await open(t, url), { create }).leaseSegment(lease())
      const { connection, end } = await engine.lone(url)
      t.after(end)
      const store = sqlStore(connection)
      assert.equal((await store.leaseSegment(lease())).start, 11n)
      await engine.query(connection, 'CREATE TABLE own (n INT)')
      await engine.query(connection, engine.begin)
      await engine.query(connection, 'INSERT INTO own VALUES (1)')
      for (const ask of [() => store.leaseSegment(lease()), () => store.acquire(acquire()), () => sqlStore(connection).leaseSegment(lease())]) {
        await refuses(ask, 'STORE_REFUSED', /connection is inside a transaction, and what a store grants there would be undone/)
      }
      await engine.query(connection, 'INSERT INTO own VALUES (2)')
      await engine.query(connection, 'COMMIT')
      assert.equal((await engine.query(connection, 'SELECT n FROM own')).length, 2)
      assert.equal((await store.leaseSegment(lease())).start, 21n)
      // A transaction that begins right after an ask: it loses nothing, and contains nothing of ours.
      const asks = [store.acquire(acquire({ request: '03'.repeat(16) })), store.leaseSegment(lease())].map((ask) => ask.catch((error) => error))
      await engine.query(connection, engine.begin)
      await engine.query(connection, 'INSERT INTO own VALUES (3)')
      await engine.query(connection, 'ROLLBACK')
      const granted = await Promise.all(asks)
      for (const grant of granted) assert.ok(grant.store !== undefined || grant.code === 'STORE_REFUSED' || grant.code === 'STORE_UNAVAILABLE', `${grant}`)
      assert.equal((await engine.query(connection, 'SELECT n FROM own')).length, 2)
      const next = await sqlStore(await open(t, url)).leaseSegment(lease())
      assert.equal(next.start, granted[1].start === undefined ? 31n : 41n, 'a grant that was answered stays')
    })

    test('a setting that loses what was answered is refused by name, at the start and later', async (t) => {
      const made = database()
      const running = sqlStore(await open(t, made.url), { create })
      await running.leaseSegment(lease())
      for (const [set, says, back] of engine.unsafe) {
        for (const sql of set) server.run(made.name, sql)
        const refused = (store) => async () => {
          const { code, message } = await refusal(() => store.leaseSegment(lease()))
          assert.equal(code, 'STORE_REFUSED')
          return new RegExp(`^(postgres|mysql)://\\S+ has ${says}, and a crash forgets what was answered last: .*; (turn that on|set that to 1), or, .*allowUnsafeSettings: true`).test(message)
        }
        for (const store of [sqlStore(await open(t, made.url)), running]) {
          // A reload reaches new sessions a moment later.
          await until(() => refused(store)().catch((error) => (/it gave/.test(error.message) ? false : Promise.reject(error))))
        }
        const let_pass = sqlStore(await open(t, made.url), { allowUnsafeSettings: true })
        const { start } = await let_pass.leaseSegment(lease())
        for (const sql of back) server.run(made.name, sql)
        await until(() => running.leaseSegment(lease()).then((grant) => grant.start > start, () => false))
      }
    })

    test('what a store must do, in real time', async (t) => {
      const made = { tags: { conform: { step: 10, maxStep: 100 } }, namespaces: { conform: { workers: { start: 0, end: 4 } } } }
      const { url } = database()
      const [store, other] = [await open(t, url), await open(t, url)].map((pool) => sqlStore(pool, { create: made }))
      await store.leaseSegment(lease('conform'))
      const { passed, skipped } = await conform(store, { again: () => other })
      assert.deepEqual([passed.length, skipped], [26, {}])
    })

    test('a server that is killed and comes back is asked again, and what was answered stays', async (t) => {
      const { url } = database()
      const pool = await open(t, url)
      pool.on('error', () => {})
      const store = sqlStore(pool, { create })
      const seen = [(await store.leaseSegment(lease())).start]
      await server.kill()
      // A PostgreSQL session may outlive its server for a moment, and answer.
      let away
      await until(async () => (away = await store.leaseSegment(lease()).catch((error) => error)).code !== undefined)
      assert.equal(away.code, 'STORE_UNAVAILABLE')
      assert.match(away.message, new RegExp(`^${name} at (postgres|mysql)://\\S+ cannot be used: `))
      await server.start()
      const orders = new Segment('orders', { store, timeout: 120_000 })
      seen.push(await orders.next())
      // A server that has just come back may answer too late: the lease is then asked for again.
      assert.ok(seen[0] === 1n && seen[1] > 1n && seen[1] % 10n === 1n, `${seen}`)
    })

    test('what an application sets for itself changes nothing, and stays', (t) => (name === 'MySQL' ? mysqlOdd : pgOdd)(t, database().url))

    if (name === 'MySQL') test('a server that follows another, and tables without transactions, are refused', async (t) => {
      const pool = mysql.createPool(server.make('follows'))
      t.after(() => new Promise((resolve) => pool.end(resolve)))
      const store = sqlStore(pool, { create, allowUnsafeSettings: true })
      await store.leaseSegment(lease())
      server.run('follows', 'SET GLOBAL read_only = 1')
      const follows = await refusal(() => store.leaseSegment(lease()))
      server.run('follows', 'SET GLOBAL read_only = 0')
      assert.equal(follows.code, 'STORE_REFUSED')
      assert.match(follows.message, /has read_only on, as a replica has/)
      server.run('follows', 'ALTER TABLE tags ENGINE = MyISAM')
      await refuses(() => sqlStore(pool).leaseSegment(lease()), 'STORE_REFUSED', /keeps its table `tags` in MyISAM, which has no transactions; move it: ALTER TABLE tags ENGINE = InnoDB/)
    })
  })
}

async function pgOdd(t, url) {
  // A parser that rounds, and a session with every setting changed.
  const was = pg.types.getTypeParser(20)
  pg.types.setTypeParser(20, Number)
  t.after(() => pg.types.setTypeParser(20, was))
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  t.after(() => pool.end())
  const store = sqlStore(pool, { create: { tags: { orders: { from: '9007199254740993', step: 2 } } } })
  assert.equal((await store.leaseSegment(lease())).start, 9007199254740993n)
  for (const set of [
    "SET default_transaction_isolation = 'serializable'",
    'SET standard_conforming_strings = off',
    "SET bytea_output = 'escape'",
    'SET search_path = public',
    'SET lock_timeout = 0',
    'CREATE TEMPORARY TABLE tags (tag text, max_id bigint, step bigint, max_step bigint, deleted boolean, until bigint)',
    "INSERT INTO tags VALUES ('orders', 5, 5, 5, false, NULL)",
  ]) {
    await pool.query(set)
  }
  assert.equal((await store.leaseSegment(lease())).start, 9007199254740995n)
  assert.equal((await store.acquire(acquire({ owner: String.raw`\'; --` }))).worker, 0)
  const { rows } = await pool.query("SELECT current_setting('search_path') AS path, current_setting('bytea_output') AS bytes, current_setting('lock_timeout') AS lock")
  assert.deepEqual(rows, [{ path: 'public', bytes: 'escape', lock: '0' }], 'and so they stay')
}

async function mysqlOdd(t, uri) {
  const odd = { rowsAsArray: true, namedPlaceholders: true, supportBigNumbers: false, typeCast: false, charset: 'latin1', nestTables: true, connectionLimit: 1, flags: ['-FOUND_ROWS'] }
  const pool = mysql.createPool({ uri, ...odd })
  t.after(() => new Promise((resolve) => pool.end(resolve)))
  const store = sqlStore(pool, { create: { tags: { orders: { from: '9007199254740993', step: 2 } } } })
  assert.equal((await store.leaseSegment(lease())).start, 9007199254740993n)
  for (const set of ["SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'SET SESSION innodb_lock_wait_timeout = 17']) {
    await new Promise((resolve, reject) => pool.query(set, (error) => (error ? reject(error) : resolve())))
  }
  assert.equal((await store.leaseSegment(lease())).start, 9007199254740995n)
  const owner = String.raw`größe \'; --`
  const first = await store.acquire(acquire({ owner, sticky: true }))
  await free(store, first)
  assert.equal((await store.acquire(acquire({ owner, sticky: true, request: '02'.repeat(16) }))).worker, first.worker)
  const said = await new Promise((resolve, reject) =>
    pool.query({ sql: 'SELECT @@autocommit, @@innodb_lock_wait_timeout, @@tx_isolation', typeCast: true, nestTables: false }, (error, rows) => (error ? reject(error) : resolve(rows))),
  )
  assert.deepEqual(said, [[1, 17, 'SERIALIZABLE']], 'and so they stay')
}
