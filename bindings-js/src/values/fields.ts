import { shown } from './shown.js'

const NAME = '1 to 128 letters, digits and `._:-`, starting with a letter or digit'
const TOKEN = '32 lower-case hex digits'
const BIG = 'a bigint or a decimal string'
const U32 = 'a whole number from 0 to 4294967295'
const STEP = 'a whole number from 1 to 2147483647'
const FLAG = 'true or false'
const MS = 'a whole number of ms since 1970'
const ROW = 'a row with its `worker`'

/** What each field must be, of whatever a caller or a store passes. */
const MUST_BE: Readonly<Record<string, string>> = {
  tag: NAME,
  namespace: NAME,
  owner: '1 to 128 bytes without control characters',
  store: TOKEN,
  request: TOKEN,
  key: TOKEN,
  layout: '`leaf`, `edge`, `long`, `js53` or the five fields of one',
  workers: '`{ start, end }` inside the layout',
  worker: U32,
  step: STEP,
  max_step: STEP,
  at_least: STEP,
  max_growth: U32,
  max_ahead_ms: U32,
  max_window_ms: U32,
  length_ms: U32,
  spread: U32,
  from: BIG,
  max_id: BIG,
  start: BIG,
  end: BIG,
  remaining: BIG,
  have_until: BIG,
  held_from: BIG,
  reserved_until: BIG,
  unused_from: BIG,
  floor: BIG,
  now_ms: MS,
  granted_ms: MS,
  sticky: FLAG,
  strict: FLAG,
  deleted: FLAG,
  mine: ROW,
  own: ROW,
  spare: ROW,
  rested: ROW,
}

/** The fields of a new tag, and of a new namespace, beside its name. */
export const TAG_FIELDS = ['from', 'step', 'max_step', 'until']
export const NAMESPACE_FIELDS = ['layout', 'workers', 'max_window_ms']

/** The options of JavaScript whose names in the core differ. */
const OPTIONS: Readonly<Record<string, string>> = {
  max_step: 'maxStep',
  max_growth: 'maxGrowth',
  max_ahead_ms: 'maxAheadMs',
  length_ms: 'lengthMs',
}

/** An object whose fields were read. */
export interface Given {
  value: object
  /** What it is called in a message; nothing for a caller's options. */
  called?: string
  /** What a field of it must be, where that is more than is said above. */
  mustBe?: Readonly<Record<string, string>>
}

/** What is wrong with a field, as a sentence. */
export function fieldProblem(field: string, { value, called = '', mustBe = {} }: Given): string {
  const got = (value as Record<string, unknown>)[field]
  const what = `\`${called === '' ? (OPTIONS[field] ?? field) : field}\``
  const wanted = `must be ${mustBe[field] ?? MUST_BE[field] ?? 'of its type'}`
  const isMissing = got === undefined || got === null
  if (isMissing) return `${called === '' ? 'there is' : `${called} has`} no ${what}: it ${wanted}`
  return `${what}${called === '' || called === 'it' ? '' : ` of ${called}`} ${wanted}, got ${shown(got)}`
}
