// A worker number that is kept for its owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Snowflake, decode, memoryStore } from 'leafid'
import { ownStore, refuses } from '../support/stores.mjs'

test('an owner has its own number again, and `sticky` and `strict` are passed on', async () => {
  for (const [options, isKept] of [[{}, false], [{ sticky: true }, true], [{ sticky: true, strict: true }, true]]) {
    let now = 1_800_000_000_000
    const store = ownStore({ rows: memoryStore({ clock: () => now }) })
    const workers = []
    for (const owner of ['api-0', 'api-1', 'api-0']) {
      const ids = new Snowflake('default', { store, owner, ...options })
      workers.push(decode(await ids.next()).worker)
      await ids.close()
      now += 100
    }
    assert.notEqual(workers[1], workers[0], 'nobody else has it')
    assert.equal(workers[2] === workers[0], isKept)
    const { sticky = false, strict = false } = options
    for (const [verb, ask] of store.asked) if (verb === 'acquire') assert.deepEqual([ask.sticky, ask.strict], [sticky, strict])
  }
})

test('a number is not kept for a name that ends with the process', async () => {
  const made = (options) => () => new Snowflake('default', { store: memoryStore(), ...options })
  await refuses(made({ sticky: true }), 'REQUEST_INVALID', /^`sticky` keeps a number for an `owner`, and there is none: pass one that is the same after a restart/)
  await refuses(made({ owner: 'api-0', strict: true }), 'REQUEST_INVALID', /pass `sticky: true` with it$/)
  for (const [name, wrong] of [['sticky', 'yes'], ['strict', 1]]) {
    await refuses(made({ owner: 'api-0', sticky: true, [name]: wrong }), 'REQUEST_INVALID', new RegExp(`^\`${name}\` must be `))
  }
})
