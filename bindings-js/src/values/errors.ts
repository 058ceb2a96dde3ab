import { theEngine, type CodeFacts, type Refused } from '../engines/engine.js'

/** What else an error tells. */
export interface ErrorDetails {
  /** Until when, in ms on the clock of who says so. */
  until?: number | undefined
  /** How long to wait at least, in ms. */
  retryAfter?: number | undefined
  /** What led to it. */
  cause?: unknown
}

/** An error of leafid. `code` says which, the same in every language; the message says what to do. */
export class LeafidError extends Error {
  override readonly name = 'LeafidError'
  /** One word of the error table, such as `TAG_UNKNOWN`. */
  readonly code: string
  /** Until when waiting is in vain, where that is known: in ms on the generator's clock; of a store's refusal, since 1970. */
  declare readonly until?: number
  /** How long to wait at least, in ms, where that is known. */
  declare readonly retryAfter?: number

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    if (details.until !== undefined) this.until = details.until
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter
  }
}

/** Whether it is an error of leafid, of another copy of the package as well. */
export function isLeafidError(error: unknown): error is LeafidError {
  return (
    error instanceof LeafidError ||
    (error instanceof Error && error.name === 'LeafidError' && typeof (error as { code?: unknown }).code === 'string')
  )
}

const known = new Map<string, CodeFacts | undefined>()

/** What the error table says of a code; `undefined` if there is none of this name. */
export function codeFacts(code: string): CodeFacts | undefined {
  if (!known.has(code)) known.set(code, theEngine().codeFacts(code) ?? undefined)
  return known.get(code)
}

/** Whether waiting cannot cure it. */
export function isPermanent(code: string): boolean {
  return codeFacts(code)?.permanent ?? false
}

/** What to do about it, in a few words. */
export function advice(code: string): string {
  return codeFacts(code)?.advice ?? "read the store's log"
}

/** What a generator's refusal says has happened. */
const HAPPENED: Record<string, string> = {
  SEGMENT_DRY: ' has no number at hand',
  WINDOW_SPENT: ' has no window at hand',
  SEQUENCE_SPENT: ' has handed out every ID up to `maxAheadMs`',
  CLOCK_BEHIND: ' stands ahead of the clock, which went back',
  TIME_OVERFLOW: ' has a layout that this time does not fit',
  COUNT_INVALID: ' cannot give so many IDs in one go',
  WORKERS_EXHAUSTED: ', every worker number is held or still rests',
  STORE_CHANGED: ' was stopped, for another store answered',
  STORE_WENT_BACK: ' was stopped, for the store no longer knows what it granted',
  CLOSED: ' is closed',
}

/** The error of a refusal: what was refused, why, until when, what to do. */
export function refusalError(what: string, refused: Refused, details: ErrorDetails = {}): LeafidError {
  const { code, field } = refused
  const until = refused.until === undefined ? undefined : Number(refused.until)
  const happened = field === undefined ? (HAPPENED[code] ?? '') : ` (\`${field}\` is missing or not what it has to be)`
  const wait = details.retryAfter === undefined ? '' : ` for ${Math.ceil(details.retryAfter)} ms`
  return new LeafidError(code, `${what}${happened}${wait}: ${advice(code)}`, { until, ...details })
}

/** Returns what an engine answered, or throws what it refused; `now` is on the clock of its `until`. */
export function accepted<T>(what: string, answer: T | Refused, now?: number): T {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return answer as T
  const { until } = answer
  const retryAfter = until === undefined || now === undefined ? undefined : Math.max(Number(until) - now, 0)
  throw refusalError(what, answer, { retryAfter })
}

/** How a value of the caller's is shown in a message. */
export function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : typeof value === 'string' ? value : String(value)
  return `\`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\``
}
