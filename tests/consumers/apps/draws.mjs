// The program that every bundler, runner and runtime is given: 100,000 IDs of each kind.
const COUNT = 100_000

/** `1-1000,2001-2500`: what numbers there are, so that they can be compared with those of other programs. */
function ranges(numbers) {
  const sorted = BigUint64Array.from(numbers).sort()
  const parts = []
  let from = sorted[0]
  for (let at = 1; at <= sorted.length; at++) {
    if (at < sorted.length && sorted[at] - sorted[at - 1] === 1n) continue
    parts.push(`${from}-${sorted[at - 1]}`)
    from = sorted[at]
  }
  return parts.join(',')
}

const duplicatesIn = (ids) => ids.length - new Set(ids).size

async function drawn(ids) {
  const all = []
  while (all.length < COUNT / 2) all.push(await ids.next())
  while (all.length < COUNT) all.push(...(await ids.take(1_000)))
  return all
}

/** Draws from a store with what an entry of the package gives. */
export async function drawWith({ Segment, Snowflake, memoryStore }, store) {
  const orders = new Segment('orders', { store })
  const events = new Snowflake('default', { store })
  const numbers = await drawn(orders)
  const stamps = await drawn(events)
  const { engine } = orders.stats()
  await Promise.all([orders.close(), events.close()])
  // The control: two stores that know nothing of each other give the same numbers.
  const apart = await Promise.all([1, 2].map(() => new Segment('orders', { store: memoryStore() }).take(1_000)))
  return {
    ids: numbers.length + stamps.length,
    duplicates: duplicatesIn(numbers) + duplicatesIn(stamps),
    control: duplicatesIn(apart.flat()),
    numbers: ranges(numbers),
    engine,
  }
}
