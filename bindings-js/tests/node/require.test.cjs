// `require` of the ES module gives the same classes, silently.
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
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

test('require says nothing', () => {
  const program = "const { Segment, memoryStore } = require('leafid'); console.log(new Segment('a', { store: memoryStore() }).nextSync())"
  const options = { cwd: __dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], options)
  assert.equal(stderr, '')
  assert.equal(stdout, '1n\n')
})
