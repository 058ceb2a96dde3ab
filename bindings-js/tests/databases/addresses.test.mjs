// `postgres://…` and `mysql://…` as store addresses: connections, messages, and processes that still can end.
import assert from 'node:assert/strict'
import { after, describe } from 'node:test'
import mysql from 'mysql2'
import { Segment, Snowflake } from 'leafid'
import { sqlStore } from 'leafid/node'
import { ENGINES } from '../support/databases.mjs'
import { ranNode } from '../support/ends.mjs'
import { leafid } from '../support/store.mjs'
import { refusal, refuses, timedOut } from '../support/stores.mjs'

const PROGRAM = `
  import { Segment, Snowflake } from 'leafid'
  const orders = new Segment('orders')
  const ids = new Snowflake()
  console.log(String(await orders.next()), typeof (await ids.next()))
`
for (const [name, engine] of Object.entries(ENGINES)) {
  describe(name, () => {
    const { test, before } = engine
    let server
    before(async () => (server = await engine.start()))
    after(() => server?.end())

    test('LEAFID_STORE chooses the database, and nothing keeps the process alive', () => {
      const url = server.make('ids')
      leafid('init', '--store', url)
      leafid('tag', 'create', 'orders', '--store', url)
      const firsts = []
      for (let turn = 0; turn < 2; turn++) {
        // Neither generator is closed.
        const { status, signal, stdout, stderr } = ranNode(['--input-type=module', '-e', PROGRAM], { cwd: import.meta.dirname, env: { ...process.env, LEAFID_STORE: url } })
        const [, first, kind] = /^(\d+) (\w+)\n$/.exec(stdout) ?? []
        assert.deepEqual([status, signal, kind], [0, null, 'bigint'], stderr)
        firsts.push(Number(first))
      }
      // A first lease that took three seconds was asked for again, and is lost.
      assert.ok(firsts.every((first) => first % 1_000 === 1) && firsts[0] < firsts[1], `${firsts}`)
    })

    test('a database that does not let us in, or is away, is named without its password', async () => {
      const url = (where) => where.replace('@', ':s3cret@')
      const away = url(server.url('ids')).replace(`:${server.port}/`, ':1/')
      for (const [store, says] of [[url(server.url('nosuch')), /nosuch/], [away, /ECONNREFUSED/]]) {
        const isAway = store === away
        const orders = new Segment('orders', { store, timeout: isAway ? 300 : 60_000 })
        const error = await (isAway ? timedOut(() => orders.next(), 'STORE_UNAVAILABLE') : refusal(() => orders.next(), 'STORE_UNKNOWN'))
        for (let cause = error; cause !== undefined; cause = cause.cause) assert.doesNotMatch(String(cause.message), /s3cret/)
        assert.match(error.message, says)
      }
    })
  })
}

ENGINES.MySQL.test('Leaf’s own table keeps the tags, while a Leaf goes on using it', async (t) => {
  const server = await ENGINES.MySQL.start()
  t.after(server.end)
  const url = `${server.make('leaf')}?tags=leaf_alloc`
  server.run('leaf', "CREATE TABLE leaf_alloc (biz_tag varchar(128) NOT NULL DEFAULT '', max_id bigint NOT NULL DEFAULT 1, step int NOT NULL, description varchar(256), update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (biz_tag)) ENGINE = InnoDB")
  const wide = 9007199254740993n
  server.run('leaf', `INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', ${wide}, 100), ('zero', 0, 10), ('bad', 1, -5)`)
  const lease = (store, tag) => store.leaseSegment({ tag, request: '01'.repeat(16) })
  await refuses(() => lease(sqlStore(url), 'orders'), 'STORE_UNKNOWN', /leaf\?tags=leaf_alloc` has no tables; to create a new store there: leafid init --store mysql:/)
  leafid('init', '--store', url)
  const pool = mysql.createPool(server.url('leaf'))
  t.after(() => new Promise((resolve) => pool.end(resolve)))
  const store = sqlStore(pool, { tags: 'leaf_alloc', create: { tags: { made: { step: 7, until: '9' } } } })
  for (const [turn, each] of [store, sqlStore(url), store].entries()) {
    assert.equal((await lease(each, 'orders')).start, wide + BigInt(turn) * 200n)
    // Acts as a Leaf server.
    server.run('leaf', "UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'orders'")
  }
  assert.equal((await lease(store, 'zero')).start, 1n)
  assert.deepEqual([(await lease(store, 'made')).end, (await lease(store, 'made')).end], [8n, 9n])
  assert.equal(server.run('leaf', "SELECT max_id, step FROM leaf_alloc WHERE biz_tag = 'made'"), '9\t7')
  leafid('tag', 'delete', 'zero', '--store', url)
  for (const [tag, code, words] of [['made', 'TAG_SPENT'], ['bad', 'STEP_INVALID'], ['Orders', 'TAG_UNKNOWN', /is written `orders` in `leaf_alloc`/], ['zero', 'TAG_UNKNOWN']]) {
    await refuses(() => lease(store, tag), code, words)
  }
  await new Snowflake('default', { store }).next()
  const plain = sqlStore(`${server.make('empty')}?tags=leaf_alloc`, { create: true })
  await refuses(() => lease(plain, 'orders'), 'SCHEMA_MISMATCH', /has no table `leaf_alloc`/)
})
