// `require` of the ES module gives the same classes.
const assert = require('node:assert/strict')
const { test } = require('node:test')

test('require and import give the same classes', async () => {
  const required = require('leafid')
  for (const [path, name] of [['leafid', 'Segment'], ['leafid', 'LeafidError'], ['leafid/registry', 'acquire'], ['leafid/public', 'Scrambler']]) {
    assert.equal(require(path)[name], (await import(path))[name], path)
  }
  assert.equal(require('leafid/public').LeafidError, required.LeafidError)
  const orders = new required.Segment('orders', { store: required.memoryStore() })
  assert.equal(await orders.next(), 1n)
})
