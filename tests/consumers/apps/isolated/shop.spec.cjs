const { orders } = require('./shop.cjs')

orders.nextSync()

for (const turn of [1, 2]) {
  test(`numbers begin at 1, turn ${turn}`, async () => {
    expect([await orders.next(), orders.nextSync()]).toEqual([1n, 2n])
  })
}
