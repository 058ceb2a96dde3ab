// Leases numbers of the tag `orders` for a while: `PLACE MS`. Prints each range.
import './sqlite.mjs'
import { sqlStore } from 'leafid/node'

const [place, ms] = process.argv.slice(2)
const store = sqlStore(place)
const end = Date.now() + Number(ms)
while (Date.now() < end) {
  try {
    const range = await store.leaseSegment({ tag: 'orders', request: '03'.repeat(16) })
    process.stdout.write(`${range.start} ${range.end}\n`)
  } catch (error) {
    // On a busy machine the server may be too slow.
    if (error.code !== 'STORE_UNAVAILABLE') throw error
  }
}
