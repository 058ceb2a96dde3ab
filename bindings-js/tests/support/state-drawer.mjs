// A process with a state file: draws `n` IDs far ahead of the clock, prints each, and stays until it is killed.
// `careless`, the control, restores the first write's content after each write.
import { readFileSync, writeFileSync } from 'node:fs'
import { Snowflake } from 'leafid'
import { inner } from './package.mjs'

const [, , store, state, n, timeout, careless] = process.argv
const AT_ONCE = 25

if (careless === 'careless') {
  const { theEngine } = await inner('engines/engine.js')
  const files = theEngine().state
  const { stateRun, stateRunNow } = files
  let first
  const undo = () => (first === undefined ? (first = readFileSync(state)) : writeFileSync(state, first))
  files.stateRun = (handle) => stateRun(handle).then(undo)
  files.stateRunNow = (handle) => {
    stateRunNow(handle)
    undo()
  }
}

const ids = new Snowflake('small', { store, state, maxAheadMs: 20_000, timeout: Number(timeout) })
for (let left = Number(n); left > 0; left -= AT_ONCE) {
  // `;` marks a whole line: a kill may cut one off.
  process.stdout.write((await ids.take(AT_ONCE)).map((id) => `${id};\n`).join(''))
}
setInterval(() => {}, 60_000)
