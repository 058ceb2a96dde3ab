import { LeafidError } from '../values/errors.js'
import { asLayout, Layout, type LayoutFields, type LayoutName } from '../values/layout.js'
import { checkNames, checkObject } from '../values/options.js'
import { called, subject } from '../values/refusals.js'
import { quoted, shown } from '../values/shown.js'
import { namespace_row, tag_row, type NewTag, type TagRow } from '../stores/registry.js'
import type { Namespace } from './rows.js'

/** A tag as it is declared. `from` counts when it is made; the others may change with a deploy. */
export type DeclaredTag = Pick<NewTag, 'from' | 'step' | 'max_step' | 'until'>

/** A namespace as it is declared. Layout and `max_window_ms` stay after its first window. */
export interface DeclaredNamespace {
  /** The layout `leaf` by default. */
  layout?: Layout | LayoutName | LayoutFields
  /** The worker numbers that may be handed out: all of the layout by default. */
  workers?: { start: number; end: number }
  /** Ten minutes by default. */
  max_window_ms?: number
}

/** The tags and namespaces of a store that are declared in code. */
export interface Declared {
  /** Only what is not there is made: what is there stays as it is, and there may be others. */
  onlyMissing?: boolean
  /** A tag is made only with `from`: the store makes itself, and a new one looks like one that was lost. */
  needsFrom?: boolean
  tags: Readonly<Record<string, DeclaredTag>>
  namespaces: Readonly<Record<string, DeclaredNamespace>>
  /** How one is declared, as in "declare it with …". */
  how(kind: 'tags' | 'namespaces', name: string): string
}

const TAG_FIELDS = ['from', 'step', 'max_step', 'until']
const NAMESPACE_FIELDS = ['layout', 'workers', 'max_window_ms']

/** Whether nothing is to be made: it is there, or deleted by somebody, or not meant. */
function staysAsItIs({ onlyMissing }: Declared, all: object, name: string, before: object | undefined): boolean {
  return onlyMissing === true && (before !== undefined || !Object.hasOwn(all, name))
}

/** What is declared under this name; `TAG_UNKNOWN` or `NAMESPACE_UNKNOWN` if nothing is. */
function found<T extends object>({ how }: Declared, kind: 'tags' | 'namespaces', all: Readonly<Record<string, T>>, name: string): T {
  if (Object.hasOwn(all, name)) {
    const spec = all[name]
    checkObject(spec, { names: [] })
    checkNames(spec, kind === 'tags' ? TAG_FIELDS : NAMESPACE_FIELDS, 'field')
    return spec
  }
  const [code, about] = kind === 'tags' ? ['TAG_UNKNOWN', subject('tag', name)] : ['NAMESPACE_UNKNOWN', subject('namespace', name)]
  throw new LeafidError(code!, `${called(about as ReturnType<typeof subject>)} is not declared: check its spelling, or declare it with \`${how(kind, name)}\``)
}

/**
 * The row that a tag is to have, where it is another than `before`. `REQUEST_INVALID` for a new tag without `from` where the
 * store wants one, or has lost grants: `floorMs` is above 0 then.
 */
export function wantedTag(declared: Declared, tag: string, before: TagRow | undefined, floorMs: number): TagRow | undefined {
  if (staysAsItIs(declared, declared.tags, tag, before)) return undefined
  const spec = found(declared, 'tags', declared.tags, tag)
  if (before === undefined && spec.from === undefined && (floorMs > 0 || declared.needsFrom === true)) {
    const why =
      floorMs > 0
        ? 'this store has lost grants, or replaces a lost one, whose numbers it would repeat from 1 on; name a first number above every one in use'
        : "it has no row here, as a new tag has none, and one whose object lost its storage; declare `from: '1'` for a new one, else a first number above every one in use"
    throw new LeafidError('REQUEST_INVALID', `${called(subject('tag', tag))} needs \`from\`: ${why}`)
  }
  if (before === undefined || before.deleted === true) return tag_row({ ...spec, tag }, before)
  const { step, max_step, until } = tag_row({ ...spec, tag })
  const row = { ...before, step, max_step, until: until === undefined ? undefined : String(until) }
  if (row.step === before.step && row.max_step === before.max_step && row.until === before.until) return undefined
  if (until !== undefined && BigInt(until) < BigInt(before.max_id)) {
    const message = `\`until\` of ${called(subject('tag', tag))} must be ${before.max_id} or more, for numbers below were granted, got ${shown(until)}`
    throw new LeafidError('RANGE_INVALID', message)
  }
  const { until: _, ...rest } = row
  return row.until === undefined ? rest : { ...rest, until: row.until }
}

/**
 * What a namespace is to be, where it is otherwise than `before`; the numbers never handed out are not known yet. No window of
 * it begins before `floorMs`.
 */
export function wantedNamespace(declared: Declared, namespace: string, before: Namespace | undefined, floorMs: number): Namespace['row'] | undefined {
  if (staysAsItIs(declared, declared.namespaces, namespace, before)) return undefined
  const spec = found(declared, 'namespaces', declared.namespaces, namespace)
  const layout = asLayout(spec.layout ?? 'leaf').toJSON()
  const made = namespace_row({ ...spec, namespace, layout }) as Namespace['row']
  const row = { ...made, floor: floorOf(made, before?.row, floorMs) }
  return before !== undefined && text(before.row) === text(row) ? undefined : row
}

/** The tick below which nothing is granted; a change of the layout leaves it where it was in time. */
function floorOf(made: Namespace['row'], before: Namespace['row'] | undefined, floorMs: number): string {
  if (before === undefined) return String(floorTick(made, BigInt(floorMs)))
  if (isSameLayout(before, made)) return String(before.floor)
  const { epoch_ms, tick_ms } = asLayout(before.layout).toJSON()
  const own = BigInt(before.floor) === 0n ? 0n : floorTick(made, BigInt(epoch_ms) + BigInt(before.floor) * BigInt(tick_ms))
  const ofStore = floorTick(made, BigInt(floorMs))
  return String(own > ofStore ? own : ofStore)
}

/** The first tick that does not begin before a time in ms; 0 without one. */
function floorTick({ layout }: Namespace['row'], ms: bigint): bigint {
  const { epoch_ms, tick_ms, time_bits } = asLayout(layout).toJSON()
  const [since, tick, end] = [ms - BigInt(epoch_ms), BigInt(tick_ms), 1n << BigInt(time_bits)]
  if (ms === 0n || since < 0n) return 0n
  const first = (since + tick - 1n) / tick
  return first < end ? first : end
}

/** What is said of a tag or a namespace that a command makes, in the store at this place. */
export function unknownIn(place: string): (kind: 'tag' | 'namespace', name: string) => LeafidError {
  return (kind, name) => {
    const command = `leafid ${kind} create ${name} --store ${place}`
    const code = kind === 'tag' ? 'TAG_UNKNOWN' : 'NAMESPACE_UNKNOWN'
    return new LeafidError(code, `${called(subject(kind, name))} does not exist: check its spelling, or create it with ${quoted(command)}`)
  }
}

/** The error of a change that the first window has made impossible. */
export function fixed(namespace: string, what: string): LeafidError {
  const message = `${called(subject('namespace', namespace))} has granted windows, so its ${what} cannot change any more: declare it as it was, and another namespace beside it`
  return new LeafidError('LAYOUT_MISMATCH', message)
}

/** Whether two layouts are one. */
export function isSameLayout(one: Namespace['row'], other: Namespace['row']): boolean {
  return JSON.stringify(fields(one.layout)) === JSON.stringify(fields(other.layout))
}

function text({ layout, workers, max_window_ms, floor }: Namespace['row']): string {
  return JSON.stringify([fields(layout), workers.start, workers.end, max_window_ms, String(floor)])
}

function fields(layout: LayoutFields | LayoutName): unknown[] {
  const { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits } = asLayout(layout).toJSON()
  return [epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits]
}
