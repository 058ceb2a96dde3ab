// ID libraries of npm, beside leafid. Only required options are set: the machine number is the one on the library's own
// page, or the one that it takes by itself.
import { readFileSync } from 'node:fs'
import { DiscordSnowflake } from '@sapphire/snowflake'
import FlakeId from 'flake-idgen'
import { Segment, Snowflake } from 'leafid'
import nodejs from 'nodejs-snowflake'
import uuid from 'snowflake-uuid'

/** The installed version of a package. */
const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version

async function leafid(ids) {
  await ids.ready(1)
  return { draw: () => ids.next(), drawSync: () => ids.nextSync(), close: () => ids.close() }
}

const peer = (drawSync) => ({ draw: drawSync, drawSync })

/** The libraries: `make` gives `draw`, which may be async, and `drawSync`; each call gives one ID. */
export const LIBRARIES = {
  'snowflake-uuid': {
    make() {
      const generator = new uuid.Worker(0, 1, { workerIdBits: 5, datacenterIdBits: 5, sequenceBits: 12 })
      return peer(() => generator.nextId())
    },
  },
  'nodejs-snowflake': {
    make() {
      const generator = new nodejs.Snowflake()
      return peer(() => generator.getUniqueID())
    },
  },
  'flake-idgen': {
    make() {
      const generator = new FlakeId()
      return peer(() => generator.next().readBigUInt64BE())
    },
  },
  '@sapphire/snowflake': { make: () => peer(() => DiscordSnowflake.generate()) },
  'leafid `Segment`': { name: 'leafid', make: () => leafid(new Segment('beside')) },
  'leafid `Snowflake`': { name: 'leafid', make: () => leafid(new Snowflake()) },
}
for (const [called, library] of Object.entries(LIBRARIES)) library.version = version(library.name ?? called)
