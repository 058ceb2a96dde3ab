// What the suites of stores that no waiting cures have in common.
import assert from 'node:assert/strict'
import { Segment, Snowflake } from 'leafid'
import { refusal } from './stores.mjs'

// Nobody waits for so long: who waited all the same got TIMED_OUT.
export const LONG_MS = 60_000
export const create = { tags: { orders: { step: 10 } } }
export const lease = (more = {}) => ({ tag: 'orders', request: '01'.repeat(16), ...more })

/** A store of which both kinds of generators say so at once, with these words. */
export async function atOnce(store, code, ...words) {
  for (const ids of [new Segment('orders', { store, timeout: LONG_MS }), new Snowflake('default', { store, timeout: LONG_MS })]) {
    const error = await refusal(() => ids.next())
    assert.equal(error.code, code, error.message)
    for (const word of words) assert.ok(error.message.includes(word), `${word}: ${error.message}`)
    await ids.close()
  }
}
