import { checkClock, MACHINE, StoreClock } from '../files/clock.js'
import { randomToken } from '../hosts/host.js'
import { commanded, defaultNamespace, unknownIn } from '../sql/declared.js'
import { bytes } from '../sql/rows.js'
import { putNamespace } from '../sql/steps.js'
import { column, type Columns } from '../sql/text.js'
import { Works } from '../sql/work.js'
import type { Declarations } from '../stores/declared.js'
import { LeafidError } from '../values/errors.js'
import { quoted } from '../values/shown.js'
import type { Link, Raw } from './link.js'

/** Opens the store in a database, or makes it where that was asked for. */
export async function opened(link: Link, create: Declarations | undefined, allowUnsafeSettings: boolean): Promise<Works> {
  const [settings = [], made = []] = await link.told('settings', 'made')
  const unfit = link.judge(settings[0], allowUnsafeSettings)
  if (unfit !== undefined) throw unfit
  await link.examine?.()
  let meta = await found(link, made)
  if (meta === undefined) {
    if (create === undefined) throw notThere(link)
    meta = await making(link, create)
  }
  if (Number(meta['version']) !== link.dialect.version) throw otherVersion(link, Number(meta['version']))
  const [[counts] = []] = await link.told('found')
  let longest = Number(counts?.[2])
  const granted = Number(counts?.[3])
  const [[time] = []] = await link.read([link.dialect.query('now')])
  const source = { told: Number(Object.values(time!)[0]), up: MACHINE.up() }
  // The database's clock, as far as it was heard, and what has passed since.
  const clocks = { up: () => MACHINE.up(), wall: () => source.told + Math.max(MACHINE.up() - source.up, 0) }
  checkClock(clocks.wall(), granted, Number(meta['beat_ms']), "the database's clock")
  const clock = new StoreClock(granted, clocks)
  return new Works({
    ...commanded(create, link.place),
    dialect: link.dialect,
    hasVersion: false,
    hears(told) {
      Object.assign(source, { told, up: MACHINE.up() })
      return clock.read(() => longest)
    },
    judges(settings) {
      const unfit = link.judge(Object.values(settings) as string[], allowUnsafeSettings)
      if (unfit !== undefined) throw unfit
    },
    sees({ row }) {
      longest = Math.max(longest, row.max_window_ms)
    },
    unknown: unknownIn(link.place),
    otherVersion: (version) => otherVersion(link, version),
  })
}

/** What the store says of itself, if there is one; `SCHEMA_MISMATCH` where a table of another program has the name of one of ours. */
async function found(link: Link, made: readonly Raw[]): Promise<Columns | undefined> {
  const [first] = made
  if (first === undefined) return undefined
  // Beside another program's tables ours are called `leafid_…`.
  const isOurs = made.some(([name, versioned]) => name?.replace(/^leafid_/, '') === 'meta' && Number(versioned) > 0)
  if (isOurs) return (await link.read([link.dialect.query('meta')]))[0]?.[0]
  const message = `${link.place} is not a leafid store: its table ${quoted(String(first[0]))} is another program's; give leafid a database of its own`
  throw new LeafidError('SCHEMA_MISMATCH', message)
}

/** The tables, the namespace `default`, and the store's row, which comes last; unless another program was faster. */
async function making(link: Link, declared: Declarations): Promise<Columns> {
  const { dialect } = link
  const [[time] = []] = await link.read([dialect.query('now')])
  const id = { version: dialect.version, store: bytes(randomToken()), created_ms: Number(Object.values(time!)[0]), floor_ms: 0 }
  const steps = [...putNamespace(dialect, 'default', defaultNamespace(declared)), dialect.query('make', id)]
  let failed: unknown
  await link.make(steps).catch((error: unknown) => (failed = error))
  const [made = []] = await link.told('made')
  const meta = await found(link, made)
  if (meta !== undefined && column(meta, 'store') !== undefined) return meta
  throw failed ?? notThere(link)
}

function notThere({ place }: Link): LeafidError {
  const message = `${quoted(place)} has no tables; to create a new store there: leafid init --store ${place}, or \`{ create: true }\` of \`sqlStore\` in leafid/node; if there was one and it is lost, use instead: leafid init --replaces-lost --store ${place}, as a new store would hand out again what is in use`
  return new LeafidError('STORE_UNKNOWN', message)
}

function otherVersion({ place, dialect }: Link, version: number): LeafidError {
  const way = version < dialect.version ? `stop every server, and every process that opens the database itself, then upgrade them: leafid migrate --store ${place}` : 'use the program that wrote it'
  return new LeafidError('SCHEMA_MISMATCH', `${quoted(place)} has tables of version ${version}, this program knows ${dialect.version}; ${way}`)
}
