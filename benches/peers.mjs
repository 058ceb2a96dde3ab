// Libraries of npm that make IDs, beside leafid. Nothing is set but what a library asks for: it has the machine number that
// its own page shows, or that it takes by itself.
import { readFileSync } from 'node:fs'
import { DiscordSnowflake } from '@sapphire/snowflake'
import FlakeId from 'flake-idgen'
import { Segment, Snowflake } from 'leafid'
import nodejs from 'nodejs-snowflake'
import uuid from 'snowflake-uuid'

/** Which version of a package is installed beside this file. */
const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version

async function leafid(ids) {
  await ids.ready(1)
  return { draw: () => ids.next(), drawSync: () => ids.nextSync(), close: () => ids.close() }
}

const peer = (drawSync) => ({ draw: drawSync, drawSync })

/** By name: `make` gives `draw`, which may wait, and `drawSync`, each of which gives one ID. */
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
