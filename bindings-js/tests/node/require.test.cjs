// `require` of the ES module gives the same classes, silently.
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { test } = require('node:test')

test('require and import give the same classes', async () => {
  const required = require('leafid')
  const imported = await import('leafid')
  assert.equal(required.Segment, imported.Segment)
  assert.equal(required.LeafidError, imported.LeafidError)
  assert.equal(require('leafid/registry').acquire, (await import('leafid/registry')).acquire)
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
