import { isTrap } from './border.js'

/** A refusal of the core. `until` is on the clock of the call. */
export interface Refused {
  code: string
  until?: bigint
  /** The unreadable field, and its argument: `config`, `ask`, `row`, … */
  field?: string
  of?: string
}

/** The outcome of an answer. */
export type Verdict = Refused | { outcome: 'applied' | 'ignored' } | { outcome: 'release'; release: object }

/** The counters of the core. */
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

/** Facts for another instance of a generator; they give it no rights. */
export interface Carryover {
  store?: string
  /** The first position that was not handed out. */
  position: bigint
  /** The highest end that the generator has or had, as a position. */
  have_until?: bigint
}

/** What a refused caller should do: raise `code`, or wait for the next answer, at most until `until`. */
export type Stance = { code: string } | { code?: undefined; until?: number | bigint }

export interface CodeFacts {
  http?: number
  permanent: boolean
  stops: boolean
  advice: string
}

/** State files (native engine only): each verb takes a generator's handle. */
export interface StateFiles {
  /** Makes the path absolute, so that a change of the working directory does not matter; `null` for an invalid one. */
  statePath(path: string): string | null | undefined
  /** Opens a file, from which the generator goes on. `said` is a warning; `code` is why there is no file. */
  stateOpen(handle: number, path: string, now: number): { code?: string; message?: string; said?: string }
  /** Does the write that `poll` asked for: in the thread pool, or synchronously. */
  stateRun(handle: number): Promise<void> | null | undefined
  stateRunNow(handle: number): void
  /** Applies a finished write. `release`: to be sent now; `code`: why it failed; `said`: the file is abandoned. */
  stateSettle(handle: number, now: number): { release?: object; code?: string; message?: string; said?: string }
  /** As `retire`, but also gives back the window that the file keeps. */
  stateGiveUp(handle: number): object | null | undefined
  stateClose(handle: number): void
}

/** Flag in the result of `fill` and `fillAvailable`: an ask or a write is due. */
export const ASK_IS_DUE = 0x8000_0000

/** An engine (native or wasm): plain functions over a handle. */
export interface Engine {
  readonly kind: 'native' | 'wasm'
  engineVersion(): string

  create(handle: number, kind: 'segment' | 'snowflake', config: object, seed: bigint): Refused | null | undefined
  free(handle: number): void
  /** Fills all of `out`, or returns 0 with nothing written or spent; plus `ASK_IS_DUE`. */
  fill(handle: number, now: number, out: BigUint64Array): number
  /** Fills as much of `out` as there are IDs at hand; returns how many, plus `ASK_IS_DUE`. */
  fillAvailable(handle: number, now: number, out: BigUint64Array): number
  ready(handle: number, now: number, n: number): boolean
  most(handle: number): number
  refusal(handle: number): Refused
  goodUntil(handle: number): number

  wants(handle: number, now: number): boolean
  pollAt(handle: number): bigint | null | undefined
  /** What to do now: an ask's fields with its kind as `ask`; the kind is `write` for a write of the state file. */
  poll(handle: number, now: number, entropy: Uint8Array): object | null | undefined
  handleGrant(handle: number, request: string, answer: object, sent: number, now: number): Verdict
  handleFailure(handle: number, request: string, code: string, retryAfterMs: number | undefined, now: number): void
  retire(handle: number): object | null | undefined
  forget(handle: number): void
  resumed(handle: number): void
  /** How many ms the wall clock leapt since the last look, by the monotonic clock; after a leap an ask is due. */
  look(handle: number, ticking: number, wall: number): number
  carryover(handle: number): Carryover
  /** Only before the first grant. `highest` is the last ID that was handed out, in this layout. */
  resume(handle: number, before: Carryover, highest?: bigint, layout?: object): Refused | null | undefined
  layoutInUse(handle: number): object | null | undefined
  /** What a refused caller should do once the due ask was sent: raise `code`, or wait. */
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
  /** The message of a refusal about the `tag` or `namespace` `name`; of any other kind, `name` begins the sentence. */
  sentence(code: string, kind: string, name: string, most?: number, waitMs?: number): string

  state?: StateFiles

  /** Replaces the instance with a new one: for an engine that can break (wasm). */
  rebuild?(): void
}

/** The shape that the types generated by napi must have. Those lack the fields of objects, and the fast functions. */
export type Functions = {
  [Name in Exclude<keyof Engine, 'fill' | 'fillAvailable' | 'rebuild' | 'kind' | 'state'>]: Engine[Name] extends (...args: infer Given) => infer Answer ? (...args: Given) => Plain<Answer> : never
}

type Plain<Value> = Value extends object ? object : Value

let engine: Engine | undefined
let builds = 0

/** Called once, by the start module of this runtime. */
export function useEngine(chosen: Engine): void {
  // The first engine stays: its generators are unknown to another one, as where `leafid/inline` follows `leafid`.
  engine ??= chosen
}

export function theEngine(): Engine {
  if (engine === undefined) throw new Error('no engine: import `leafid`, not one of its files')
  return engine
}

/** How often the engine was rebuilt: handles of earlier builds are invalid. */
export function engineBuilds(): number {
  return builds
}

/**
 * Handles an error of the engine: rebuilds an instance that trapped (no memory, no stack), since its state may be half
 * changed; rethrows anything else.
 */
export function recoverEngine(error: unknown): void {
  if (!isTrap(error) || engine?.rebuild === undefined) throw error
  engine.rebuild()
  builds += 1
}
