import { respelled } from '../engines/engine.js'
import { shown } from './shown.js'

/** Requirements for fields, of callers and stores alike. */
const RULES = {
  '1 to 128 letters, digits and `._:-`, starting with a letter or digit': ['tag', 'namespace'],
  '1 to 128 bytes without control characters': ['owner'],
  '32 lower-case hex digits': ['store', 'request', 'key'],
  '`leaf`, `edge`, `long`, `js53` or the five fields of one': ['layout'],
  '`{ start, end }` inside the layout': ['workers'],
  'a whole number from 0 to 4294967295': ['worker', 'maxGrowth', 'maxAheadMs', 'maxWindowMs', 'lengthMs', 'spread'],
  'a whole number from 1 to 2147483647': ['step', 'maxStep', 'atLeast'],
  'a bigint or a decimal string': ['from', 'maxId', 'start', 'end', 'remaining', 'haveUntil', 'heldFrom', 'reservedUntil', 'unusedFrom', 'floor'],
  'a whole number of ms since 1970': ['nowMs', 'grantedMs'],
  'true or false': ['sticky', 'strict', 'deleted'],
  'a row with its `worker`': ['mine', 'own', 'spare', 'rested'],
}
const MUST_BE = new Map(Object.entries(RULES).flatMap(([rule, fields]) => fields.map((field) => [field, rule])))

/** Where a text of the engine, or of a server, has a field of an ask, or one that is declared with another value. */
const NAMED = /`(?:at_least|have_until|length_ms|unused_from)`|`\w+`(?= is `[^`]*`, not )/g

/** A text of the engine, or of a server, with these fields as JavaScript spells them. */
export function worded(text: string): string {
  return text.replace(NAMED, (name) => respelled(name))
}

/** The fields of a new tag, and of a new namespace, besides the name. */
export const TAG_FIELDS = ['from', 'step', 'maxStep', 'until']
export const NAMESPACE_FIELDS = ['layout', 'workers', 'maxWindowMs'] as const

export interface Given {
  value: object
  /** Its name in messages; none for a caller's options. */
  called?: string
  /** Requirements for its fields, beyond the general ones. */
  mustBe?: Readonly<Record<string, string>>
}

export function fieldProblem(field: string, { value, called = '', mustBe = {} }: Given): string {
  const got = (value as Record<string, unknown>)[field]
  const what = `\`${field}\``
  const wanted = `must be ${mustBe[field] ?? MUST_BE.get(field) ?? 'of its type'}`
  const isMissing = got === undefined || got === null
  if (isMissing) return `${called === '' ? 'there is' : `${called} has`} no ${what}: it ${wanted}`
  return `${what}${called === '' || called === 'it' ? '' : ` of ${called}`} ${wanted}, got ${shown(got)}`
}
