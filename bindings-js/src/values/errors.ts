import { theEngine, type CodeFacts } from '../engines/engine.js'
import type { CODES } from './codes.js'

/** The codes of the error table, the same in every language. */
export type ErrorCode = (typeof CODES)[number]

/** Details of an error. */
export interface ErrorDetails {
  /** Until when waiting is in vain, in ms on the clock of its source. */
  until?: number | undefined
  /** The minimum wait, in ms. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** An error of leafid. `code` says which, the same in every language; the message says what happened and what to do. */
export class LeafidError extends Error {
  override readonly name = 'LeafidError'
  /** A code of the error table, such as `TAG_UNKNOWN`. */
  readonly code: ErrorCode
  /** Until when waiting is in vain, if known: in ms on the generator's clock; in a store's refusal, since 1970. */
  declare readonly until?: number
  /** The minimum wait in ms, if known. */
  declare readonly retryAfter?: number

  /** An unknown code is kept: a later store may have more. */
  constructor(code: ErrorCode | (string & {}), message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code as ErrorCode
    if (details.until !== undefined) this.until = details.until
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter
  }
}

/** Whether a value is an error of leafid, also of another copy of the package. */
export function isLeafidError(error: unknown): error is LeafidError {
  return (
    error instanceof LeafidError ||
    (error instanceof Error && error.name === 'LeafidError' && typeof (error as { code?: unknown }).code === 'string')
  )
}

const known = new Map<string, CodeFacts | undefined>()

/** A code's row of the error table; `undefined` for an unknown code. */
export function codeFacts(code: string): CodeFacts | undefined {
  if (!known.has(code)) known.set(code, theEngine().codeFacts(code) ?? undefined)
  return known.get(code)
}

export function advice(code: string): string {
  return codeFacts(code)?.advice ?? "read the store's log"
}
