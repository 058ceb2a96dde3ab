// A store that replaces a lost one, or was fenced: it grants nothing below what the lost one may have granted.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Layout, Segment } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { scratch } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'
import { leafid } from '../support/store.mjs'
import { refusal, refuses } from '../support/stores.mjs'

const files = ['files/driver.js', 'sql/run.js', 'sql/work.js']
const [{ Connection }, { runNear }, { Works }] = await Promise.all(files.map(inner))

/** Creates a store, with `replaces` in place of a lost one; returns its path. */
function made(t, { replaces = false } = {}) {
  const path = join(scratch(t), 'ids.db')
  leafid('init', ...(replaces ? ['--replaces-lost'] : []), '--store', `sqlite:${path}`)
  return path
}

const acquire = { owner: 'me', request: '01'.repeat(16), sticky: false, strict: false }
const leased = (path, tag, spec) => new Segment(tag, { store: sqliteStore(path, { create: { tags: { [tag]: spec } } }) }).next()

function floor(path, namespace) {
  const connection = new Connection(path)
  const [row] = connection.all({ sql: 'SELECT CAST(floor AS TEXT) AS floor FROM namespaces WHERE namespace = ?', params: [namespace] })
  connection.close()
  return row.floor
}

test('a tag without `from` is refused where the lost store may have begun it', async (t) => {
  assert.equal(await leased(made(t), 'orders', {}), 1n, 'the control: nothing was lost')
  const path = made(t, { replaces: true })
  await refuses(() => leased(path, 'orders', { step: 5 }), 'REQUEST_INVALID', /^tag `orders` needs `from`: this store has lost grants, or replaces a lost one, .* name a first number above every one in use: leafid tag create orders --from N$/)
  assert.equal(await leased(path, 'orders', { from: '5000001' }), 5000001n)
  assert.ok((await leased(path, 'orders', {})) > 5000001n, 'what is there needs none')
  leafid('tag', 'delete', 'orders', '--store', `sqlite:${path}`)
  assert.equal((await refusal(() => leased(path, 'fresh', {}))).code, 'REQUEST_INVALID', 'each that is made')
})

test('a changed layout keeps the floor at the same time', async (t) => {
  const path = made(t, { replaces: true })
  const connection = new Connection(path)
  const settled = (layout) => {
    const declared = { tags: {}, namespaces: { shop: { layout } }, how: () => '' }
    const works = new Works({ declared, clock: () => Date.now(), hasVersion: false })
    assert.throws(() => runNear(connection, () => works.begin('acquire', { ...acquire, namespace: 'shop' })), { code: 'WORKERS_EXHAUSTED' })
    return floor(path, 'shop')
  }
  const leaf = settled('leaf')
  const [own, wide] = [Layout.leaf.toJSON(), Layout.edge.toJSON()]
  const ms = BigInt(own.epoch_ms) + BigInt(leaf) * BigInt(own.tick_ms)
  const [tick, since] = [BigInt(wide.tick_ms), ms - BigInt(wide.epoch_ms)]
  assert.equal(settled('edge'), String((since + tick - 1n) / tick))
  connection.close()
})
