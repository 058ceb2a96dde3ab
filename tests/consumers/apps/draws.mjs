// Draws 100,000 IDs of each kind: the program for every bundler, runner and runtime.
const COUNT = 100_000

const duplicatesIn = (ids) => ids.length - new Set(ids).size

async function drawn(ids) {
  const all = []
  while (all.length < COUNT / 2) all.push(await ids.next())
  while (all.length < COUNT) all.push(...(await ids.take(1_000)))
  return all
}

/** Draws from a store with the exports of a package entry; with public IDs, also scrambles 1001. */
export async function drawWith({ Segment, Snowflake, memoryStore }, store, Scrambler) {
  const orders = new Segment('orders', { store })
  const events = new Snowflake('default', { store })
  const numbers = await drawn(orders)
  const stamps = await drawn(events)
  await Promise.all([orders.close(), events.close()])
  // The control: two independent stores give the same numbers.
  const apart = await Promise.all([1, 2].map(() => new Segment('orders', { store: memoryStore() }).take(1_000)))
  return {
    ids: numbers.length + stamps.length,
    duplicates: duplicatesIn(numbers) + duplicatesIn(stamps),
    control: duplicatesIn(apart.flat()),
    numbers: numbers.map(String),
    shown: Scrambler && new Scrambler(new Uint8Array(16), 'orders', { prefix: 'order' }).encode(1001n),
  }
}
