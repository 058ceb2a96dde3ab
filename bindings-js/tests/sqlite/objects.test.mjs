// `leafid/workers` outside a Worker, as where its module is tested: over objects and a database that the test makes.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Segment, Snowflake } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'
import { scratch } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'
import { refuses } from '../support/stores.mjs'

const { Connection } = await inner()

class Ids extends LeafidObject {
  static tags = { orders: { from: '1', step: 10 } }
}

/** Storage of an object, over a file. */
function storage(t) {
  const file = new Connection(join(scratch(t), 'object.db'))
  t.after(() => file.close())
  return {
    sql: {
      exec(sql, ...params) {
        const query = { sql, params: params.map((param) => (param instanceof ArrayBuffer ? new Uint8Array(param) : param)) }
        const told = { toArray: () => [], rowsWritten: 0 }
        if (/^SELECT/.test(sql)) return { ...told, toArray: () => file.all(query) }
        if (params.length > 0) return { ...told, rowsWritten: file.run(query) }
        file.script(sql)
        return told
      },
    },
    transactionSync: (act) => file.transaction(act),
  }
}

test('an object and its store, over storage of the test', async (t) => {
  const objects = new Map()
  const namespace = {
    idFromName: (name) => name,
    get: (name) => objects.get(name) ?? objects.set(name, new Ids({ id: { name }, storage: storage(t) }, {})).get(name),
  }
  const store = durableObjectStore(() => namespace)
  const ids = new Segment('orders', { store })
  assert.deepEqual([await ids.next(), await ids.take(3)], [1n, [2n, 3n, 4n]])
  assert.ok((await new Snowflake('default', { store }).next()) > 0n)
  await refuses(() => new Segment('others', { store }).next(), 'TAG_UNKNOWN', /^tag `others` is not declared: /)
})

test('a binding by its name is missing, and says what is', async () => {
  const object = new Segment('orders', { store: durableObjectStore('IDS') })
  await refuses(() => object.next(), 'REQUEST_INVALID', /^`IDS` must be a Durable Object, and there is no such binding: add to wrangler\.jsonc\n/)
  const database = new Segment('orders', { store: d1Store('DB', { tags: { orders: {} } }) })
  await refuses(() => database.next(), 'REQUEST_INVALID', /^`DB` must be a D1 database, and there is no such binding: add to wrangler\.jsonc\n/)
})
