// A process with a state file: draws `n` IDs far ahead of the clock, prints each, and stays until it is killed.
import { Snowflake } from 'leafid'

const [, , store, state, n, timeout] = process.argv
const AT_ONCE = 25

const ids = new Snowflake('small', { store, state, maxAheadMs: 20_000, timeout: Number(timeout) })
for (let left = Number(n); left > 0; left -= AT_ONCE) {
  // `;` marks a whole line: a kill may cut one off.
  process.stdout.write((await ids.take(AT_ONCE)).map((id) => `${id};\n`).join(''))
}
setInterval(() => {}, 60_000)
