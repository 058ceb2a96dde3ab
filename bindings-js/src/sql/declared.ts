import { belowFrom, newNamespace, newTag, notAsDeclared, otherNamespace, otherTag, type Declarations } from '../stores/declared.js'
import type { TagRow } from '../stores/registry.js'
import { LeafidError } from '../values/errors.js'
import { asLayout } from '../values/layout.js'
import { called, subject, unknown } from '../values/refusals.js'
import { quoted, shown } from '../values/shown.js'
import type { Namespace } from './rows.js'

/** What is declared of a store. */
export interface Declared extends Declarations {
  /**
   * Set where an operator's commands change the store: then a missing row is made, and a row that differs is refused at its first use;
   * rows that are not declared may exist. Without it the declaration itself changes the store, and names all rows.
   */
  commands?: { place: string; /** The names whose rows were found to agree. */ agreed: Set<string> }
  /** A tag is made only with `from`: the store makes itself, and a new one looks like one that was lost. */
  needsFrom?: boolean
  /** How one is declared, as in "declare it with …". */
  how?(kind: 'tags' | 'namespaces', name: string): string
}

/** What is declared of a store at this place, which has commands. */
export function commanded(declared: Declarations | undefined, place: string): { declared?: Declared } {
  return declared === undefined ? {} : { declared: { ...declared, commands: { place, agreed: new Set() } } }
}

/** The namespace that each store has from its making on: as it is declared, or in the layout `leaf`. */
export function defaultNamespace({ namespaces = {} }: Declarations): Namespace {
  const row = { ...newNamespace('default', namespaces['default'] ?? {}), floor: '0' }
  return { row, usedUntil: row.workers.start }
}

/** What is declared under this name; `TAG_UNKNOWN` or `NAMESPACE_UNKNOWN` if nothing is, where there are no others. */
function found<T>({ commands, how }: Declared, kind: 'tag' | 'namespace', name: string, all: Readonly<Record<string, T>> = {}): T | undefined {
  if (Object.hasOwn(all, name)) return all[name]
  if (commands !== undefined) return undefined
  throw unknown(kind, name, `is not declared: check its spelling, or declare it with \`${how?.(`${kind}s`, name)}\``)
}

/** Refuses what is there otherwise than it is declared. Once it was not, an operator may have changed it since. */
function agree({ place, agreed }: NonNullable<Declared['commands']>, kind: 'tag' | 'namespace', name: string, others: () => string[]): void {
  const about = `${kind} ${name}`
  if (agreed.has(about)) return
  const found = others()
  if (found.length > 0) throw notAsDeclared(kind, name, found, `declare what is there, or change it: leafid ${kind} set ${name} --store ${place}`)
  agreed.add(about)
}

/**
 * The row that a tag is to have, where it is another than `before`. `REQUEST_INVALID` for a new tag without `from` where the
 * store wants one, or has lost grants: `floorMs` is above 0 then.
 */
export function wantedTag(declared: Declared, tag: string, before: TagRow | undefined, floorMs: number): TagRow | undefined {
  const spec = found(declared, 'tag', tag, declared.tags)
  if (spec === undefined) return undefined
  if (declared.commands !== undefined && before !== undefined) {
    // A deleted tag stays deleted.
    if (before.deleted !== true) agree(declared.commands, 'tag', tag, () => otherTag(tag, spec, before))
    return undefined
  }
  if (before === undefined && spec.from === undefined && (floorMs > 0 || declared.needsFrom === true)) {
    const why =
      floorMs > 0
        ? 'this store has lost grants, or replaces a lost one, whose numbers it would repeat from 1 on; name a first number above every one in use'
        : "it has no row here, as a new tag has none, and one whose object lost its storage; declare `from: '1'` for a new one, else a first number above every one in use"
    throw new LeafidError('REQUEST_INVALID', `${called(subject('tag', tag))} needs \`from\`: ${why}`)
  }
  if (before === undefined || before.deleted === true) return newTag(tag, spec, before)
  const made = newTag(tag, spec)
  const below = belowFrom(spec, made, before)
  if (below.length > 0) throw notAsDeclared('tag', tag, below, 'leave `from` out, or take another name')
  const { step, max_step, until } = made
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
  const spec = found(declared, 'namespace', namespace, declared.namespaces)
  if (spec === undefined) return undefined
  if (declared.commands !== undefined && before !== undefined) {
    agree(declared.commands, 'namespace', namespace, () => otherNamespace(namespace, spec, before.row))
    return undefined
  }
  const made = newNamespace(namespace, spec)
  const row = { ...made, floor: floorOf(made, before?.row, floorMs) }
  return before !== undefined && text(before.row) === text(row) ? undefined : row
}

/** The tick below which nothing is granted; a change of the layout leaves it where it was in time. */
function floorOf(made: Namespace['row'], before: Namespace['row'] | undefined, floorMs: number): string {
  if (before === undefined) return String(floorTick(made, BigInt(floorMs)))
  const layout = asLayout(before.layout).toJSON()
  if (JSON.stringify(layout) === JSON.stringify(asLayout(made.layout).toJSON())) return String(before.floor)
  const { epoch_ms, tick_ms } = layout
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
  return (kind, name) => unknown(kind, name, `does not exist: check its spelling, or create it with ${quoted(`leafid ${kind} create ${name} --store ${place}`)}`)
}

/** All of a row in one text. */
function text({ layout, workers, max_window_ms, floor }: Namespace['row']): string {
  return JSON.stringify([asLayout(layout).toJSON(), workers.start, workers.end, max_window_ms, String(floor)])
}
