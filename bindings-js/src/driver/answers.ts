import type { Refused } from '../engines/engine.js'
import { call, type Store, type Verb } from '../stores/store.js'
import { advice, codeFacts, isLeafidError, LeafidError } from '../values/errors.js'
import { called, refusalError, wrongField, type Subject } from '../values/refusals.js'
import { shown } from '../values/shown.js'
import { isPromise, within } from './deadline.js'

/** Checks an answer before the core reads it; returns the fault: not an object, or the answer to another ask. */
export function notAnAnswer(answer: unknown, request: string): string | undefined {
  if (typeof answer !== 'object' || answer === null) return `it must be an object, got ${shown(answer)}`
  const echo = (answer as { request?: unknown }).request
  return echo === request ? undefined : `the request id must be that of the ask, \`${request}\`, got ${shown(echo)}`
}

export function unused(verb: Verb, about: Subject, why: string): LeafidError {
  const message = `the store's answer to \`${verb}\` for ${called(about)} was not used: ${why}: ${advice('GRANT_INVALID')}`
  return new LeafidError('GRANT_INVALID', message)
}

export function refusedAnswer(verb: Verb, about: Subject, refused: Refused, answer: object): LeafidError {
  if (refused.code !== 'GRANT_INVALID') return refusalError(about, refused)
  const why = wrongField(refused, { grant: { value: answer, called: 'it' } })
  const { request: _, store: __, ...grant } = answer as Record<string, unknown>
  return unused(verb, about, why ?? `it cannot be right, got ${shown(grant)}`)
}

/** The error for what a store threw: a code of leafid is kept, anything else becomes `STORE_UNAVAILABLE`. */
export function failure(verb: Verb, about: Subject, cause: unknown): LeafidError {
  try {
    const coded = withCode(verb, about, cause)
    if (coded !== undefined) return coded
  } catch {
    // The thrown value's own code failed: a proxy, a getter. It has no details then.
  }
  const message = `the store's \`${verb}\` for ${called(about)} failed with ${shown(cause)}: ${advice('STORE_UNAVAILABLE')}`
  return new LeafidError('STORE_UNAVAILABLE', message, { cause })
}

function withCode(verb: Verb, about: Subject, cause: unknown): LeafidError | undefined {
  // An error from another isolate has lost its class, and perhaps its name.
  const { code, message: text, until, retryAfter } = (cause ?? {}) as Partial<Record<'code' | 'message' | 'until' | 'retryAfter', unknown>>
  if (typeof code !== 'string' || codeFacts(code) === undefined) return undefined
  const details = { until: finite(until), retryAfter: finite(retryAfter) }
  const hasText = typeof text === 'string' && text !== ''
  if (isLeafidError(cause) && hasText && details.until === until && details.retryAfter === retryAfter) return cause
  const message = hasText ? text : `the store's \`${verb}\` for ${called(about)} was refused: ${advice(code)}`
  return new LeafidError(code, message, { ...details, cause })
}

export function late(verb: Verb): LeafidError {
  return new LeafidError('STORE_UNAVAILABLE', `the store did not answer \`${verb}\` within ${ASK_MS} ms: ${advice('STORE_UNAVAILABLE')}`)
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Time-out of an ask, in ms; the core sends it again. */
const ASK_MS = 3_000

type Answer = { now: unknown } | { failed: unknown } | { later: Promise<unknown> }

/** Asks a store. A promise settles within `ASK_MS` or fails with `late`; `keepsAlive`: the process waits for it. */
export function ask(store: Store, verb: Verb, body: object, late: () => Error, keepsAlive: boolean): Answer {
  const stop = new AbortController()
  try {
    // A method that is missing fails like one that throws.
    const answer = call(store, verb, body, stop.signal)
    return isPromise(answer) ? { later: within(ASK_MS, answer, stop, late, keepsAlive) } : { now: answer }
  } catch (error) {
    return { failed: error }
  }
}
