// A worker number that is kept for its owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Snowflake, decode, memoryStore } from 'leafid'
import { ownStore, refusal, refuses, timedOut } from '../support/stores.mjs'
import { storeFor } from '../support/store.mjs'

const worker = async (ids) => decode(await ids.next()).worker

/** The number that a holder gets after it was closed, and another was made in between. */
async function after(options, store) {
  const one = new Snowflake('default', { store, owner: 'api-0', ...options })
  const first = await worker(one)
  await one.close()
  const other = new Snowflake('default', { store, owner: 'api-1', ...options })
  const between = await worker(other)
  await other.close()
  const again = new Snowflake('default', { store, owner: 'api-0', ...options })
  const last = await worker(again)
  await again.close()
  return { first, between, last }
}

test('an owner has its own number again, in memory and over HTTP', async (t) => {
  const store = await storeFor(t)
  for (const url of [memoryStore(), store.url]) {
    // Strict: a window ends with the tick that its holder closed in, and until then another number would do.
    const { first, between, last } = await after({ sticky: true, strict: true }, url)
    assert.equal(last, first)
    assert.notEqual(between, first, 'nobody else has it')
  }
})

test('the control: without `sticky` a number is nobody’s', async () => {
  const { first, last } = await after({}, memoryStore())
  assert.notEqual(last, first)
})

test('a number in use: another is borrowed, `strict` waits', async () => {
  const store = memoryStore()
  const holder = new Snowflake('default', { store, owner: 'api-0', sticky: true })
  const own = await worker(holder)
  const second = new Snowflake('default', { store, owner: 'api-0', sticky: true })
  assert.notEqual(await worker(second), own)
  const strict = new Snowflake('default', { store, owner: 'api-0', sticky: true, strict: true, timeout: 50 })
  await timedOut(() => strict.next(), 'WORKERS_EXHAUSTED')
  await holder.close()
  const patient = new Snowflake('default', { store, owner: 'api-0', sticky: true, strict: true })
  assert.equal(await worker(patient), own)
})

test('what is asked for is what was said', async () => {
  const store = ownStore()
  for (const [at, [options, wanted]] of [[{}, [false, false]], [{ sticky: true }, [true, false]], [{ sticky: true, strict: true }, [true, true]]].entries()) {
    const owner = `api-${at}`
    const ids = new Snowflake('default', { store, owner, ...options })
    await ids.next()
    const [, ask] = store.asked.at(-1)
    assert.deepEqual([ask.owner, ask.sticky, ask.strict], [owner, ...wanted])
  }
})

test('a number is not kept for a name that ends with the process', async () => {
  const store = memoryStore()
  await refuses(() => new Snowflake('default', { store, sticky: true }), 'REQUEST_INVALID', /^`sticky` keeps a number for an `owner`, and there is none: pass one that is the same after a restart/)
  await refuses(() => new Snowflake('default', { store, owner: 'api-0', strict: true }), 'REQUEST_INVALID', /pass `sticky: true` with it$/)
  for (const [name, wrong] of [['sticky', 'yes'], ['strict', 1], ['owner', '']]) {
    const { code, message } = await refusal(() => new Snowflake('default', { store, owner: 'api-0', sticky: true, [name]: wrong }))
    assert.equal(code, 'REQUEST_INVALID')
    assert.ok(message.startsWith(`\`${name}\` must be `), message)
  }
})
