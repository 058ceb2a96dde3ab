// `draws.mjs` is an ES module, which Jest's `require` does not know: the same in CommonJS.
const { LeafidError, Segment, Snowflake, memoryStore } = require('leafid')
const { Scrambler } = require('leafid/public')

test('draws', async () => {
  const store = process.env.LEAFID_STORE
  const orders = new Segment('orders', { store })
  const events = new Snowflake('default', { store })
  const drawn = async (ids) => {
    const all = []
    while (all.length < 50_000) all.push(await ids.next())
    while (all.length < 100_000) all.push(...(await ids.take(1_000)))
    return all
  }
  const twice = (ids) => ids.length - new Set(ids).size
  const numbers = await drawn(orders)
  const stamps = await drawn(events)
  const { engine } = orders.stats()
  await Promise.all([orders.close(), events.close()])
  const apart = await Promise.all([1, 2].map(() => new Segment('orders', { store: memoryStore() }).take(1_000)))
  const sorted = BigUint64Array.from(numbers).sort()
  const breaks = [0, ...Array.from(sorted.keys()).filter((at) => at > 0 && sorted[at] - sorted[at - 1] !== 1n), sorted.length]
  const ranges = breaks.slice(1).map((end, at) => `${sorted[breaks[at]]}-${sorted[end - 1]}`)
  const shown = new Scrambler(new Uint8Array(16), 'orders', { prefix: 'order' }).encode(1001n)
  const told = { ids: 200_000, duplicates: twice(numbers) + twice(stamps), control: twice(apart.flat()), numbers: ranges.join(','), engine, shown }
  process.stdout.write(`${JSON.stringify(told)}\n`)
  expect(told.duplicates).toBe(0)
}, 60_000)

test('errors are of its class', () => {
  expect(() => new Segment('a b')).toThrow(LeafidError)
  expect(() => require('leafid/registry').tag_row({ step: 0 })).toThrow(LeafidError)
})
