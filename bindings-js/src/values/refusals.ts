import { respelled, theEngine, type Refused } from '../engines/engine.js'
import { LeafidError, advice, type ErrorDetails } from './errors.js'
import { fieldProblem, type Given } from './fields.js'
import { quoted, shown } from './shown.js'

export interface Subject {
  kind: 'tag' | 'namespace' | 'other'
  /** The name; for kind `other`, the words that begin a sentence. */
  name: string
}

/** A refusal's details besides its code. */
export interface Circumstances extends ErrorDetails {
  most?: number | undefined
  /** The objects that were read, by the engine's name: the field at fault is in one of them. */
  given?: Readonly<Record<string, Given>> | undefined
  /** Meanings of codes here, beyond the general ones. */
  meaning?: Readonly<Record<string, () => string>> | undefined
}

/** A subject of this kind, with a printable name for any value. */
export function subject(kind: Subject['kind'], name: unknown): Subject {
  return { kind, name: (typeof name === 'string' ? quoted(name) : shown(name)).slice(1, -1) }
}

/** A subject in a message: ``tag `orders` ``. */
export function called({ kind, name }: Subject): string {
  return kind === 'other' ? name : `${kind} \`${name}\``
}

/** The error of an unknown tag or namespace; `what` completes the sentence. */
export function unknown(kind: 'tag' | 'namespace', name: string, what: string): LeafidError {
  return new LeafidError(kind === 'tag' ? 'TAG_UNKNOWN' : 'NAMESPACE_UNKNOWN', `${called(subject(kind, name))} ${what}`)
}

/** The error of a refusal: what happened, and what to do. */
export function refusalError(about: Subject, refused: Refused, circumstances: Circumstances = {}): LeafidError {
  const { retryAfter, cause } = circumstances
  const until = refused.until === undefined ? circumstances.until : Number(refused.until)
  return new LeafidError(refused.code, message(about, refused, circumstances), { until, retryAfter, cause })
}

/** Codes of unreadable input: the field that was read last is at fault. */
const IN_READING = new Set(['REQUEST_INVALID', 'GRANT_INVALID', 'TAG_INVALID', 'NAMESPACE_INVALID', 'LAYOUT_INVALID', 'STEP_INVALID'])

export function wrongField({ code, field: told, of = '' }: Refused, given: Circumstances['given']): string | undefined {
  const object = given?.[of]
  if (told === undefined || object === undefined || !IN_READING.has(code)) return undefined
  const field = respelled(told)
  const value = (object.value as Record<string, unknown>)[field]
  // The layout could be read, but is not valid.
  if (code === 'LAYOUT_INVALID' && typeof value === 'object') return `the layout ${shown(value)} is not valid: ${advice(code)}`
  return fieldProblem(field, object)
}

function message(about: Subject, refused: Refused, { most, retryAfter, given, meaning }: Circumstances): string {
  const { code } = refused
  const wait = retryAfter === undefined ? undefined : Math.ceil(retryAfter)
  return meaning?.[code]?.() ?? wrongField(refused, given) ?? theEngine().sentence(code, about.kind, about.name, most, wait)
}

/** Returns the engine's answer, or throws its refusal; `now` is on the clock of `until`. */
export function accepted<T>(about: Subject, answer: T | Refused, circumstances: Circumstances = {}, now?: number): T {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return answer as T
  const { until } = answer
  const retryAfter = until === undefined || now === undefined ? undefined : Math.max(Number(until) - now, 0)
  throw refusalError(about, answer, { ...circumstances, retryAfter })
}
