// `memory:` as a store: one per process, for a team's own tests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Segment, Snowflake, decode } from 'leafid'
import { ranNode } from '../support/ends.mjs'

test('one name is one store', async () => {
  const [one, other] = [new Segment('orders', { store: 'memory:shared' }), new Segment('orders', { store: 'memory:shared' })]
  const ids = new Set()
  for (let turn = 0; turn < 3_000; turn++) ids.add(await one.next()).add(await other.next())
  assert.equal(ids.size, 6_000)
})

test('another name is another store', async () => {
  assert.equal(await new Segment('orders', { store: 'memory:a' }).next(), 1n)
  assert.equal(await new Segment('orders', { store: new URL('memory:b') }).next(), 1n)
})

test('snowflakes', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => new Snowflake('default', { store: 'memory:flakes' }).next()))
  assert.equal(new Set(ids.map((id) => decode(id).worker)).size, 3)
})

test('it may stand in the environment', () => {
  const program = "import { Segment } from 'leafid'; const s = new Segment('orders'); console.log(await s.next(), await s.next())"
  const run = ranNode(['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, LEAFID_STORE: 'memory:' },
  })
  assert.equal(run.stdout, '1n 2n\n', run.stderr)
})
