import type { LayoutFields } from '../values/layout.js'
import { checkNames } from '../values/options.js'

/** A 64-bit number. leafid always passes a `bigint`, and also takes a decimal string. */
export type Big = bigint | string

/** Asks for the next numbers of a tag. */
export interface SegmentAsk {
  tag: string
  request: string
  store?: string
  step?: number
  /** At least this many numbers, up to the tag's `maxStep`. */
  atLeast?: number
  /** Exactly this many numbers or none (`TAG_SPENT`), without `step` and `atLeast`: a range for use outside leafid. */
  exactly?: number
  haveUntil?: bigint
}

/** Asks for a worker number and a window on it. */
export interface AcquireAsk {
  namespace: string
  request: string
  store?: string
  owner: string
  layout?: LayoutFields
  lengthMs?: number
  sticky: boolean
  strict: boolean
}

/** Asks for a later end of the current window. */
export interface RenewAsk {
  namespace: string
  request: string
  store: string
  worker: number
  key: string
  haveUntil: bigint
  lengthMs?: number
}

/** Gives back the unused part of a window. */
export interface ReleaseAsk {
  namespace: string
  store: string
  worker: number
  key: string
  unusedFrom: bigint
}

/** Granted numbers of a tag: `start` up to, but without, `end`. */
export interface SegmentGrant {
  request: string
  store: string
  tag: string
  start: Big
  end: Big
  step: number
  maxStep: number
  remaining?: Big
  nowMs: number
}

/** A granted window on a worker's time: ticks from `start` up to, but without, `end`. */
export interface WindowGrant {
  request: string
  store: string
  worker: number
  start: Big
  end: Big
  layout: LayoutFields
  nowMs: number
  maxWindowMs: number
}

type Answer<T> = T | Promise<T>

/**
 * Hands out disjoint ranges: any object with the methods that are used, sync or async. A range must be durable before
 * the store answers, and the answer must echo the request id. A leafid error that a method throws keeps its code;
 * anything else becomes `STORE_UNAVAILABLE`. `signal` is aborted once the answer is no longer needed.
 */
export interface Store {
  /** For `Segment`. */
  leaseSegment?(ask: SegmentAsk, signal?: AbortSignal): Answer<SegmentGrant>
  /** For `Snowflake`. */
  acquire?(ask: AcquireAsk, signal?: AbortSignal): Answer<WindowGrant>
  /** For `Snowflake`. */
  renew?(ask: RenewAsk, signal?: AbortSignal): Answer<WindowGrant>
  /** For `Snowflake`, when it is closed. */
  release?(ask: ReleaseAsk, signal?: AbortSignal): Answer<unknown>
}

/** The methods of a store. */
export type Verb = keyof Store

const HELD = ['namespace', 'store', 'worker', 'key']
/** The fields of each method's ask. */
const ASKS: Readonly<Record<Verb, readonly string[]>> = {
  leaseSegment: ['tag', 'request', 'store', 'step', 'atLeast', 'exactly', 'haveUntil'],
  acquire: ['namespace', 'request', 'store', 'owner', 'layout', 'lengthMs', 'sticky', 'strict'],
  renew: [...HELD, 'request', 'haveUntil', 'lengthMs'],
  release: [...HELD, 'unusedFrom'],
}

/** Refuses a field that an ask does not have: it would do nothing. `REQUEST_INVALID`. */
export function checkAsk(verb: Verb, ask: object): void {
  checkNames(ask, ASKS[verb], 'field')
}

/** A store that passes every verb to one function, with a checked ask. */
export function storeOf(act: (verb: Verb, ask: never, signal?: AbortSignal) => unknown): Required<Store> {
  const verb = (name: Verb) => (ask: never, signal?: AbortSignal) => {
    checkAsk(name, ask)
    return act(name, ask, signal)
  }
  return Object.fromEntries(Object.keys(ASKS).map((name) => [name, verb(name as Verb)])) as never
}

/** Calls a store's method. On an RPC stub it is called elsewhere and is no function here; it takes no signal. */
export function call(store: Store, verb: Verb, ask: object, signal: AbortSignal | undefined): unknown {
  const method = store[verb] as (ask: object, signal?: AbortSignal) => unknown
  const isStub = method?.call !== Function.prototype.call
  return isStub ? (store as Record<Verb, typeof method>)[verb](ask) : method.call(store, ask, signal)
}
