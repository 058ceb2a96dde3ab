import { shown } from './shown.js'

/** Requirements for fields, of callers and stores alike. */
const RULES = {
  '1 to 128 letters, digits and `._:-`, starting with a letter or digit': ['tag', 'namespace'],
  '1 to 128 bytes without control characters': ['owner'],
  '32 lower-case hex digits': ['store', 'request', 'key'],
  '`leaf`, `edge`, `long`, `js53` or the five fields of one': ['layout'],
  '`{ start, end }` inside the layout': ['workers'],
  'a whole number from 0 to 4294967295': ['worker', 'max_growth', 'max_ahead_ms', 'max_window_ms', 'length_ms', 'spread'],
  'a whole number from 1 to 2147483647': ['step', 'max_step', 'at_least'],
  'a bigint or a decimal string': ['from', 'max_id', 'start', 'end', 'remaining', 'have_until', 'held_from', 'reserved_until', 'unused_from', 'floor'],
  'a whole number of ms since 1970': ['now_ms', 'granted_ms'],
  'true or false': ['sticky', 'strict', 'deleted'],
  'a row with its `worker`': ['mine', 'own', 'spare', 'rested'],
}
const MUST_BE = new Map(Object.entries(RULES).flatMap(([rule, fields]) => fields.map((field) => [field, rule])))

/** The fields of a new tag, and of a new namespace, besides the name. */
export const TAG_FIELDS = ['from', 'step', 'max_step', 'until']
export const NAMESPACE_FIELDS = ['layout', 'workers', 'max_window_ms'] as const

/** JavaScript's options whose names in the core differ. */
const OPTIONS: Readonly<Record<string, string>> = {
  max_step: 'maxStep',
  max_growth: 'maxGrowth',
  max_ahead_ms: 'maxAheadMs',
  length_ms: 'lengthMs',
}

export interface Given {
  value: object
  /** Its name in messages; none for a caller's options. */
  called?: string
  /** Requirements for its fields, beyond the general ones. */
  mustBe?: Readonly<Record<string, string>>
}

export function fieldProblem(field: string, { value, called = '', mustBe = {} }: Given): string {
  const got = (value as Record<string, unknown>)[field]
  const what = `\`${called === '' ? (OPTIONS[field] ?? field) : field}\``
  const wanted = `must be ${mustBe[field] ?? MUST_BE.get(field) ?? 'of its type'}`
  const isMissing = got === undefined || got === null
  if (isMissing) return `${called === '' ? 'there is' : `${called} has`} no ${what}: it ${wanted}`
  return `${what}${called === '' || called === 'it' ? '' : ` of ${called}`} ${wanted}, got ${shown(got)}`
}
