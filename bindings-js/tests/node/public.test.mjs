// `leafid/public`: scrambled IDs. What they become is in the vectors; here is what JavaScript adds.
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { LeafidError } from 'leafid'
import { Scrambler, fromBase58, fromBase62, toBase58 } from 'leafid/public'
import { ranNode } from '../support/ends.mjs'

const KEY = Uint8Array.from({ length: 16 }, (_, at) => at)
const OTHER = KEY.map((byte) => byte + 1)

test('neighbours look like strangers', () => {
  const orders = new Scrambler(KEY, 'orders', { prefix: 'order' })
  const ids = Array.from({ length: 10_000 }, (_, at) => BigInt(at))
  const texts = ids.map((id) => orders.encode(id))
  assert.ok(new Set(texts).size === 10_000 && texts.every((text) => /^order_[1-9A-HJ-NP-Za-km-z]{11}$/.test(text)))
  assert.deepEqual(texts.map((text) => orders.decode(text)), ids)
  const first = new Set(texts.map((text) => text.slice(7, 9)))
  assert.ok(first.size > 2_000, 'the control below has one')
  assert.equal(new Set(ids.map((id) => toBase58(id).slice(1, 3))).size, 1)
})

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
  // One that could not be made leaves those alone that were.
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
  'no tag': [() => new Scrambler(KEY, 'a b'), 'TAG_INVALID', /^`a b` is not a tag/],
  'a tag that is none': [() => new Scrambler(KEY, 7), 'TAG_INVALID', /must be a string, got `7`/],
  'a prefix': [() => new Scrambler(KEY, 'o', { prefix: 'Or' }), 'REQUEST_INVALID', /^`Or` is not a prefix/],
  'an empty prefix': [() => new Scrambler(KEY, 'o', { prefix: '' }), 'REQUEST_INVALID', /^`` is not a prefix/],
  'a prefix that is none': [() => new Scrambler(KEY, 'o', { prefix: 7 }), 'REQUEST_INVALID', /`prefix` must be a string, got `7`/],
  'an alphabet': [() => new Scrambler(KEY, 'o', { alphabet: 'base64' }), 'REQUEST_INVALID', /`base58` or `base62`, got `'base64'`/],
  'an option': [() => new Scrambler(KEY, 'o', { prefx: 'a' }), 'REQUEST_INVALID', /unknown option `prefx`/],
  'a foreign prefix': [() => new Scrambler(KEY, 'o', { prefix: 'order' }).decode('invoice_11111111111'), 'ID_INVALID', /does not begin with `order_`/],
  'a prefix too many': [() => new Scrambler(KEY, 'o').decode('invoice_11111111111'), 'ID_INVALID', /has a prefix, and none/],
  'a short text': [() => fromBase58('123'), 'ID_INVALID', /3 characters where 11 belong/],
  'a letter': [() => fromBase58('1111111111l'), 'ID_INVALID', /`l` is no digit of base58/],
  'a large text': [() => fromBase62('z'.repeat(11)), 'ID_INVALID', /above the largest/],
  'no text': [() => new Scrambler(KEY, 'o').decode(7n), 'ID_INVALID', /must be a string, got `7n`/],
  'a negative ID': [() => new Scrambler(KEY, 'o').encode(-1n), 'ID_INVALID', /got `-1n`/],
  'a large ID': [() => toBase58(2n ** 63n), 'ID_INVALID', /got `9223372036854775808n`/],
  'a number': [() => new Scrambler(KEY, 'o').unscramble(2n ** 63n), 'ID_INVALID', /from 0 to 2\^63 - 1/],
}

for (const [name, [act, code, words]] of Object.entries(WRONG)) {
  test(`what is wrong is told: ${name}`, () => {
    assert.throws(act, (error) => error instanceof LeafidError && error.code === code && words.test(error.message))
  })
}

test('it loads no engine', () => {
  const program = `
    import { Scrambler } from 'leafid/public'
    const before = process.report.getReport().sharedObjects.filter((file) => file.includes('leafid'))
    console.log(JSON.stringify([before, new Scrambler(new Uint8Array(16), 'orders').encode(1n).length]))`
  const { stdout, stderr } = ranNode(['--input-type=module', '-e', program])
  assert.deepEqual([stdout.trim(), stderr], ['[[],11]', ''])
})
