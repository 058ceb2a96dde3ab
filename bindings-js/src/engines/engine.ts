import { isTrap } from './border.js'

/** A refusal of the core. `until` is on the clock that was passed in. */
export interface Refused {
  code: string
  until?: bigint
  /** The field that could not be read … */
  field?: string
  /** … and of which argument: `config`, `ask`, `row`, … */
  of?: string
}

/** What happened to an answer. */
export type Verdict = Refused | { outcome: 'applied' | 'ignored' } | { outcome: 'release'; release: object }

/** The counters as the core has them. */
export interface RawStats {
  ids: bigint
  asks: bigint
  grants: bigint
  failures: bigint
  waits: bigint
  dropped: bigint
  gaps: bigint
  in_hand: bigint
  step: bigint
  offset_ms: number
  last_code?: string
  state_code?: string
}

/** What another instance of a generator may know: facts, no rights. */
export interface Carryover {
  store?: string
  /** The first position that was not handed out. */
  position: bigint
  /** The highest end that the generator has or had, as a position. */
  have_until?: bigint
}

/** What a caller does that was refused: raises `code`, or waits, for the next answer or until then at most. */
export type Stance = { code: string } | { code?: undefined; until?: number | bigint }

export interface CodeFacts {
  http?: number
  permanent: boolean
  stops: boolean
  advice: string
}

/** State files, of the native engine: each verb is for a generator's handle. */
export interface StateFiles {
  /** The path, whatever folder the process goes to; `null` for none. */
  statePath(path: string): string | null | undefined
  /** Opens a file, and has the generator go on with what it says; `said` is to be told. `code` is why there is no file. */
  stateOpen(handle: number, path: string, now: number): { code?: string; message?: string; said?: string }
  /** Makes the write that `poll` gave: in the thread pool, or here and now. */
  stateRun(handle: number): Promise<void> | null | undefined
  stateRunNow(handle: number): void
  /** Takes note of a write that was made. `release` is what is to be sent then, `code` why it failed, `said` that the file is abandoned. */
  stateSettle(handle: number, now: number): { release?: object; code?: string; message?: string; said?: string }
  /** As `retire`, and gives back what the file keeps. */
  stateGiveUp(handle: number): object | null | undefined
  stateClose(handle: number): void
}

/** Set in the result of `fill` and `fillAvailable` when there is something to do. */
export const ASK_IS_DUE = 0x8000_0000

/** What an engine (the native one or the wasm one) provides: plain functions over a handle. */
export interface Engine {
  readonly kind: 'native' | 'wasm'
  engineVersion(): string

  create(handle: number, kind: 'segment' | 'snowflake', config: object, seed: bigint): Refused | null | undefined
  free(handle: number): void
  /** Fills all of `out`, or returns 0 with nothing written or spent; and `ASK_IS_DUE`. */
  fill(handle: number, now: number, out: BigUint64Array): number
  /** Fills as much of `out` as there are IDs at hand: how many; and `ASK_IS_DUE`. */
  fillAvailable(handle: number, now: number, out: BigUint64Array): number
  ready(handle: number, now: number, n: number): boolean
  most(handle: number): number
  refusal(handle: number): Refused
  goodUntil(handle: number): number

  wants(handle: number, now: number): boolean
  pollAt(handle: number): bigint | null | undefined
  /** What to do now: an ask's fields and its kind as `ask`; that is `write` for a write of the state file. */
  poll(handle: number, now: number, entropy: Uint8Array): object | null | undefined
  handleGrant(handle: number, request: string, answer: object, sent: number, now: number): Verdict
  handleFailure(handle: number, request: string, code: string, retryAfterMs: number | undefined, now: number): void
  retire(handle: number): object | null | undefined
  forget(handle: number): void
  resumed(handle: number): void
  /** By how many ms the wall clock leapt since the last look, by one that only ticks; then an ask is due. */
  look(handle: number, ticking: number, wall: number): number
  carryover(handle: number): Carryover
  /** For a generator that was granted nothing yet. `highest` is the last ID that was handed out, in this layout. */
  resume(handle: number, before: Carryover, highest?: bigint, layout?: object): Refused | null | undefined
  layoutInUse(handle: number): object | null | undefined
  /** What a caller does that was refused, once the ask that is due was sent: raises `code`, or waits. */
  stance(handle: number, code: string, until: number | undefined, now: number): Stance
  failing(handle: number): string | null | undefined
  stats(handle: number): RawStats

  layoutFacts(layout: object): object
  compose(layout: object, timeMs: bigint, worker: number, sequence: bigint): object
  decompose(layout: object, id: bigint): object
  firstId(layout: object, timeMs: bigint): object
  lastId(layout: object, timeMs: bigint): object

  toBase32(id: bigint): string | null | undefined
  toDecimal(id: bigint): string | null | undefined
  fromBase32(text: string): bigint | null | undefined
  fromDecimal(text: string): bigint | null | undefined

  codes(): string[]
  /** The code for an HTTP answer without one. */
  codeFromHttp(status: number): string
  codeFacts(code: string): CodeFacts | null | undefined
  /** A refusal in words, about a `tag` or a `namespace` of this name; for any other kind, `name` is the subject of the sentence. */
  sentence(code: string, kind: string, name: string, most?: number, waitMs?: number): string

  state?: StateFiles

  /** Throws the instance away and builds another: for an engine that can break (wasm). */
  rebuild?(): void
}

/** What the types that napi generates must agree with. They know plain objects, but not what is in them; of the quick functions they know nothing. */
export type Functions = {
  [Name in Exclude<keyof Engine, 'fill' | 'fillAvailable' | 'rebuild' | 'kind' | 'state'>]: Engine[Name] extends (...args: infer Given) => infer Answer ? (...args: Given) => Plain<Answer> : never
}

type Plain<Value> = Value extends object ? object : Value

let engine: Engine | undefined
let builds = 0

/** Called once, by the start module of this runtime. */
export function useEngine(chosen: Engine): void {
  // The first stays: generators that were made with it know nothing in another, as where `leafid/inline` is imported after `leafid`.
  engine ??= chosen
}

export function theEngine(): Engine {
  if (engine === undefined) throw new Error('no engine: import `leafid`, not one of its files')
  return engine
}

/** How often the engine was rebuilt: handles of an earlier build name nothing. */
export function engineBuilds(): number {
  return builds
}

/**
 * After an engine threw: rebuilds it where that helps, else throws the error on. A wasm instance
 * that trapped (no memory, no stack) cannot be used any more: what it held may be half changed.
 */
export function recoverEngine(error: unknown): void {
  if (!isTrap(error) || engine?.rebuild === undefined) throw error
  engine.rebuild()
  builds += 1
}
