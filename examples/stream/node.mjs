// A Node host of the stream: draws from one tag and one namespace, and prints the IDs.

import { Segment, Snowflake, version } from 'leafid'

import { drawLines, statsLine } from './lines.mjs'
import { Pace, draw, readOptions, say } from './pace.mjs'

const { store, tag, namespace, kinds, rate, timeoutMs } = readOptions()
const options = { store, timeout: timeoutMs }
const all = {
  segment: new Segment(tag, options),
  snowflake: new Snowflake(namespace, options),
}
const generators = kinds.map((kind) => [kind, all[kind]])
const report = () => say(generators.map(([kind, ids]) => statsLine(kind, ids)))

say([`hello node ${version()}`])
await draw(
  new Pace(rate / kinds.length),
  async (due) => {
    for (const [kind, ids] of generators) say(await drawLines(kind, ids, due))
  },
  report,
)
report()
for (const [, ids] of generators) await ids.close()
say(['bye'])
process.exit(0)
