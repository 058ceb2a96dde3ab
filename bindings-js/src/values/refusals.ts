import { theEngine, type Refused } from '../engines/engine.js'
import { LeafidError, advice, type ErrorDetails } from './errors.js'
import { fieldProblem, type Given } from './fields.js'
import { quoted, shown } from './shown.js'

export interface Subject {
  kind: 'tag' | 'namespace' | 'other'
  /** Its name; of another kind, the words that begin a sentence. */
  name: string
}

/** What is known of a refusal beside its code. */
export interface Circumstances extends ErrorDetails {
  most?: number | undefined
  /** What was read, by what the engine calls it; the field that it names is a field of one of these. */
  given?: Readonly<Record<string, Given>> | undefined
  /** What a code means here, where that is more than it means everywhere. */
  meaning?: Readonly<Record<string, () => string>> | undefined
}

/** A subject of this kind and name, whatever stands for the name. */
export function subject(kind: Subject['kind'], name: unknown): Subject {
  return { kind, name: (typeof name === 'string' ? quoted(name) : shown(name)).slice(1, -1) }
}

/** What a subject is in a message of ours: ``tag `orders` ``. */
export function called({ kind, name }: Subject): string {
  return kind === 'other' ? name : `${kind} \`${name}\``
}

/** The error of a tag or a namespace that there is not; `what` is said of it. */
export function unknown(kind: 'tag' | 'namespace', name: string, what: string): LeafidError {
  return new LeafidError(kind === 'tag' ? 'TAG_UNKNOWN' : 'NAMESPACE_UNKNOWN', `${called(subject(kind, name))} ${what}`)
}

/** The error of a refusal: what happened to what, and what to do. */
export function refusalError(about: Subject, refused: Refused, circumstances: Circumstances = {}): LeafidError {
  const { retryAfter, cause } = circumstances
  const until = refused.until === undefined ? circumstances.until : Number(refused.until)
  return new LeafidError(refused.code, message(about, refused, circumstances), { until, retryAfter, cause })
}

/** The codes of what could not be read: of these the field that was read last is to blame. */
const IN_READING = new Set(['REQUEST_INVALID', 'GRANT_INVALID', 'TAG_INVALID', 'NAMESPACE_INVALID', 'LAYOUT_INVALID', 'STEP_INVALID'])

export function wrongField({ code, field, of = '' }: Refused, given: Circumstances['given']): string | undefined {
  const object = given?.[of]
  if (field === undefined || object === undefined || !IN_READING.has(code)) return undefined
  const value = (object.value as Record<string, unknown>)[field]
  // It could be read, but nothing has such a layout.
  if (code === 'LAYOUT_INVALID' && typeof value === 'object') return `the layout ${shown(value)} is not valid: ${advice(code)}`
  return fieldProblem(field, object)
}

function message(about: Subject, refused: Refused, { most, retryAfter, given, meaning }: Circumstances): string {
  const { code } = refused
  const wait = retryAfter === undefined ? undefined : Math.ceil(retryAfter)
  return meaning?.[code]?.() ?? wrongField(refused, given) ?? theEngine().sentence(code, about.kind, about.name, most, wait)
}

/** Returns what an engine answered, or throws what it refused; `now` is on the clock of its `until`. */
export function accepted<T>(about: Subject, answer: T | Refused, circumstances: Circumstances = {}, now?: number): T {
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return answer as T
  const { until } = answer
  const retryAfter = until === undefined || now === undefined ? undefined : Math.max(Number(until) - now, 0)
  throw refusalError(about, answer, { ...circumstances, retryAfter })
}
