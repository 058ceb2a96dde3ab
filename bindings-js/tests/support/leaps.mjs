// A user's own clock that leaps by all that one of these can: what the IDs say meanwhile.

const HOUR = 3_600_000
const YEARS = 31 * 365 * 24 * HOUR
/** Within the longest window and beyond every window, a first step of NTP, a night asleep, and back. */
const LEAPS = [599_000, YEARS, 599_000, -YEARS, -HOUR, 8 * HOUR, 20_000, -599_000, 3 * HOUR, 599_000]

/** How many ms an ID was late or early at most, by a store whose time is the wall clock's. */
export async function leaps({ Snowflake, decode }, store) {
  let off = 0
  const ids = new Snowflake('default', { store, clock: () => performance.now() + off, timeout: 3_000 })
  let last = await ids.next()
  let [late, early, ascends] = [0, 0, true]
  for (const leap of LEAPS) {
    off += leap
    for (let n = 0; n < 200; n++) {
      const from = Date.now()
      const id = await ids.next()
      const time = decode(id).time.getTime()
      late = Math.max(late, from - time)
      early = Math.max(early, time - Date.now())
      ascends &&= id > last
      last = id
    }
  }
  const { failures } = ids.stats()
  return { late, early, ascends, failures }
}
