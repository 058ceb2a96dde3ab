// `leafid/public`: what JavaScript adds to scrambled IDs. Their values are in the vectors.
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { LeafidError } from 'leafid'
import { Scrambler, toBase58 } from 'leafid/public'

const KEY = Uint8Array.from({ length: 16 }, (_, at) => at)
const OTHER = KEY.map((byte) => byte + 1)

test('scramblers take turns, and keep a copy of their key', () => {
  const key = KEY.slice()
  const [one, two] = [new Scrambler(key, 'orders'), new Scrambler(OTHER, 'orders')]
  key.fill(0)
  const again = new Scrambler(Buffer.from(KEY), 'orders')
  for (let id = 0n; id < 50n; id++) {
    assert.notEqual(one.encode(id), two.encode(id))
    assert.equal(one.encode(id), again.encode(id))
    assert.deepEqual([one, two].map((scrambler) => scrambler.unscramble(scrambler.scramble(id))), [id, id])
  }
  // A failed constructor does not affect other scramblers.
  assert.throws(() => new Scrambler(KEY, 'a b'))
  assert.equal(one.decode(one.encode(7n)), 7n)
})

test('what it is called, without the key', () => {
  const orders = new Scrambler(KEY, 'orders', { prefix: 'order', alphabet: 'base62' })
  assert.deepEqual([orders.tag, orders.prefix, orders.alphabet], ['orders', 'order', 'base62'])
  assert.deepEqual([new Scrambler(KEY, 'o').prefix, new Scrambler(KEY, 'o').alphabet], [undefined, 'base58'])
  assert.doesNotMatch(`${JSON.stringify(orders)}${inspect(orders, { showHidden: true, depth: 9 })}`, /1, *2|0102/)
})

const WRONG = {
  'a short key': [() => new Scrambler(new Uint8Array(5), 'orders'), 'REQUEST_INVALID', /^the key has 5 bytes: it must be 16 or 32 random bytes$/],
  'no bytes': [() => new Scrambler('0'.repeat(16), 'orders'), 'REQUEST_INVALID', /^`key` must be 16 or 32 random bytes in a `Uint8Array`, got a value of type `string`$/],
  'other bytes': [() => new Scrambler(new Uint16Array(16), 'orders'), 'REQUEST_INVALID', /`Uint8Array`/],
  'a tag that is none': [() => new Scrambler(KEY, 7), 'TAG_INVALID', /must be a string, got `7`/],
  'a prefix that is none': [() => new Scrambler(KEY, 'o', { prefix: 7 }), 'REQUEST_INVALID', /`prefix` must be a string, got `7`/],
  'an alphabet': [() => new Scrambler(KEY, 'o', { alphabet: 'base64' }), 'REQUEST_INVALID', /`base58` or `base62`, got `'base64'`/],
  'an option': [() => new Scrambler(KEY, 'o', { prefx: 'a' }), 'REQUEST_INVALID', /unknown option `prefx`/],
  'no text': [() => new Scrambler(KEY, 'o').decode(7n), 'ID_INVALID', /must be a string, got `7n`/],
  'a negative ID': [() => new Scrambler(KEY, 'o').encode(-1n), 'ID_INVALID', /got `-1n`/],
  'a large ID': [() => toBase58(2n ** 63n), 'ID_INVALID', /got `9223372036854775808n`/],
}

test('what is wrong is told', () => {
  for (const [name, [act, code, words]] of Object.entries(WRONG)) {
    assert.throws(act, (error) => error instanceof LeafidError && error.code === code && words.test(error.message), name)
  }
})
