import type { Declarations } from '../stores/declared.js'
import type { Verb } from '../stores/store.js'
import { asLayout } from '../values/layout.js'
import { unknown } from '../values/refusals.js'

/** A store's declarations, and how they apply. */
export interface Declared extends Declarations {
  /**
   * Set if an operator's commands change the store: then missing rows are created, differing ones are refused at their
   * first use, and undeclared ones may exist. Without it the declaration itself changes the store, and lists all rows.
   */
  commands?: { place: string; /** The names whose rows were found to agree. */ agreed: Set<string> }
  /** Creates tags only with `from`: the store creates itself, so a new one looks like one that lost its data. */
  needsFrom?: boolean
  /** How to declare a name, as in "declare it with …". */
  how?(kind: 'tags' | 'namespaces', name: string): string
}

/** Declarations of a store at this place that commands may change, too. */
export function commanded(declared: Declarations | undefined, place: string): { declared?: Declared } {
  return declared === undefined ? {} : { declared: { ...declared, commands: { place, agreed: new Set() } } }
}

/**
 * The fields that a declaration adds to an ask, and a callback for after its answer. `TAG_UNKNOWN` or
 * `NAMESPACE_UNKNOWN` for an undeclared name, where it must be declared.
 */
export function declaredFor(declared: Declared, verb: Verb, { tag, namespace }: { tag: string; namespace: string }): { fields: object; agreed(): void } {
  const { commands, needsFrom = false, how } = declared
  const none = { fields: {}, agreed() {} }
  const [kind, name] = verb === 'leaseSegment' ? (['tag', tag] as const) : (['namespace', namespace] as const)
  const all: Readonly<Record<string, object>> = declared[`${kind}s`] ?? {}
  const said = Object.hasOwn(all, name) ? whole(all[name]!) : undefined
  if (said === undefined) {
    if (commands !== undefined || verb === 'release') return none
    throw unknown(kind, name, `is not declared: check its spelling, or declare it with \`${how?.(`${kind}s`, name)}\``)
  }
  // Refuses renewals outside the declared range: the holder stops at its window's end, so the range can shrink.
  if (verb === 'renew' && commands === undefined) return { ...none, fields: { within: said['workers'] } }
  if (verb === 'renew' || verb === 'release' || commands?.agreed.has(`${kind} ${name}`) === true) return none
  const difference = commands === undefined ? { needsFrom } : { place: commands.place }
  return { fields: { declared: { ...said, ...difference } }, agreed: () => commands?.agreed.add(`${kind} ${name}`) }
}

/** A declaration in the engine's form: the layout as its five fields. */
export function whole(declared: object): Record<string, unknown> {
  const { layout, ...said } = declared as Record<string, unknown>
  return { ...said, ...((layout ?? undefined) === undefined ? {} : { layout: asLayout(layout as never).toJSON() }) }
}
