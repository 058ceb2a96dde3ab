// The program is an ES module, which Jest's `require` cannot load: its text becomes a function here.
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const leafid = require('leafid')
const { Scrambler } = require('leafid/public')

const text = readFileSync(join(__dirname, '../draws.mjs'), 'utf8').replace('export async function', 'return async function')
const drawWith = new Function(text)()

test('draws', async () => {
  const told = await drawWith(leafid, process.env.LEAFID_STORE, Scrambler)
  writeFileSync(process.env.TOLD, JSON.stringify(told))
  expect(told.duplicates).toBe(0)
}, 60_000)

test('errors are of its class', () => {
  expect(() => new leafid.Segment('a b')).toThrow(leafid.LeafidError)
  expect(() => require('leafid/registry').tagRow({ step: 0 })).toThrow(leafid.LeafidError)
})
