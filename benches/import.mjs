// What a new Node process pays for leafid before its first ID, as a command, a test or a function in a cloud does: the
// processor time of an import in a process of its own, beside that of an empty module.
//
// `cargo xtask bench --only import` runs it beside the installed packages.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { table } from './rounds.mjs'

const ROUNDS = 41

writeFileSync('empty.mjs', 'export {}\n')
const FIRST = "const { Segment, memoryStore } = await import('leafid'); await new Segment('orders', { store: memoryStore() }).next()"
const works = [
  { name: 'an empty module (the floor)', program: "await import('./empty.mjs')" },
  { name: "`import 'leafid'`", program: "await import('leafid')" },
  { name: "`import 'leafid'`, and the first number of a store in memory", program: FIRST },
  { name: "`import 'leafid/public'`", program: "await import('leafid/public')" },
  { name: "`import 'leafid/decode'`", program: "await import('leafid/decode')" },
]

await table('Node: a process that was just started', 'ms', ROUNDS, works, ({ program }) => {
  const measured = `const before = process.cpuUsage(); ${program}; const { user, system } = process.cpuUsage(before); console.log((user + system) / 1_000)`
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', measured], { encoding: 'utf8' }))
})
