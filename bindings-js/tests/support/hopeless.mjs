// Shared by the suites of errors that waiting cannot help.
import assert from 'node:assert/strict'
import { Segment, Snowflake } from 'leafid'
import { refusal } from './stores.mjs'

// A call that waits this long would get TIMED_OUT instead.
export const LONG_MS = 60_000
export const create = { tags: { orders: { step: 10 } } }
export const lease = (more = {}) => ({ tag: 'orders', request: '01'.repeat(16), ...more })

/** Checks that both kinds of generators fail at once with this code and these words. */
export async function atOnce(store, code, ...words) {
  for (const ids of [new Segment('orders', { store, timeout: LONG_MS }), new Snowflake('default', { store, timeout: LONG_MS })]) {
    const error = await refusal(() => ids.next())
    assert.equal(error.code, code, error.message)
    for (const word of words) assert.ok(error.message.includes(word), `${word}: ${error.message}`)
    await ids.close()
  }
}
