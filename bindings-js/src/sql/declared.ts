import type { Declarations } from '../stores/declared.js'
import type { Verb } from '../stores/store.js'
import { asLayout } from '../values/layout.js'
import { unknown } from '../values/refusals.js'

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

/** The fields that a declaration adds to an ask, and what to call when it was answered. `TAG_UNKNOWN` or `NAMESPACE_UNKNOWN` for a name that has to be declared and is not. */
export function declaredFor(declared: Declared, verb: Verb, { tag, namespace }: { tag: string; namespace: string }): { fields: object; agreed(): void } {
  const { commands, needsFrom = false, how } = declared
  const none = { fields: {}, agreed() {} }
  const [kind, name] = verb === 'lease_segment' ? (['tag', tag] as const) : (['namespace', namespace] as const)
  const all: Readonly<Record<string, object>> = declared[`${kind}s`] ?? {}
  const said = Object.hasOwn(all, name) ? whole(all[name]!) : undefined
  if (said === undefined) {
    if (commands !== undefined || verb === 'release') return none
    throw unknown(kind, name, `is not declared: check its spelling, or declare it with \`${how?.(`${kind}s`, name)}\``)
  }
  // No renewal outside the declared range: such a holder stops at the end of its window, and the range can shrink.
  if (verb === 'renew' && commands === undefined) return { ...none, fields: { within: said['workers'] } }
  if (verb === 'renew' || verb === 'release' || commands?.agreed.has(`${kind} ${name}`) === true) return none
  const difference = commands === undefined ? { needs_from: needsFrom } : { place: commands.place }
  return { fields: { declared: { ...said, ...difference } }, agreed: () => commands?.agreed.add(`${kind} ${name}`) }
}

/** A declaration as the engine reads it: a layout as its five fields. */
export function whole(declared: object): Record<string, unknown> {
  const { layout, ...said } = declared as Record<string, unknown>
  return { ...said, ...((layout ?? undefined) === undefined ? {} : { layout: asLayout(layout as never).toJSON() }) }
}
