import { theEngine, type CodeFacts } from '../engines/engine.js'
import type { ErrorCode } from './codes.js'

/** What else an error tells. */
export interface ErrorDetails {
  /** Until when, in ms, on the clock of whoever says so. */
  until?: number | undefined
  /** How long to wait at least, in ms. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** An error of leafid. `code` says which, the same in every language; the message says what happened and what to do. */
export class LeafidError extends Error {
  override readonly name = 'LeafidError'
  /** One word of the error table, such as `TAG_UNKNOWN`. */
  readonly code: ErrorCode
  /** Until when waiting is in vain, where that is known: in ms on the generator's clock; of a store's refusal, since 1970. */
  declare readonly until?: number
  /** How long to wait at least, in ms, where that is known. */
  declare readonly retryAfter?: number

  /** What is no code of the table is kept as it is: a later store may have more. */
  constructor(code: ErrorCode | (string & {}), message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code as ErrorCode
    if (details.until !== undefined) this.until = details.until
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter
  }
}

/** Whether it is an error of leafid, also if it is from another copy of the package. */
export function isLeafidError(error: unknown): error is LeafidError {
  return (
    error instanceof LeafidError ||
    (error instanceof Error && error.name === 'LeafidError' && typeof (error as { code?: unknown }).code === 'string')
  )
}

const known = new Map<string, CodeFacts | undefined>()

/** What the error table says of a code; `undefined` if there is no such code. */
export function codeFacts(code: string): CodeFacts | undefined {
  if (!known.has(code)) known.set(code, theEngine().codeFacts(code) ?? undefined)
  return known.get(code)
}

export function advice(code: string): string {
  return codeFacts(code)?.advice ?? "read the store's log"
}
