// The program uses both copies of the package, where a runner loads two.
import { orders } from './shop.mjs'
import common from './shop.cjs'

orders.nextSync()
common.orders.nextSync()

for (const turn of [1, 2]) {
  test(`numbers begin at 1, turn ${turn}`, async () => {
    expect([await orders.next(), orders.nextSync()]).toEqual([1n, 2n])
    expect(await common.orders.next()).toBeGreaterThan(2n)
    await orders.close()
  })
}
