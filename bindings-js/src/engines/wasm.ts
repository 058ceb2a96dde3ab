import { Border, type Calls, type Raw } from './border.js'
import { compiled, type Wasm } from './modules.js'

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
export type RawStats = Record<'ids' | 'asks' | 'grants' | 'failures' | 'waits' | 'dropped' | 'gaps' | 'inHand' | 'step', bigint> & {
  offsetMs: number
  lastCode?: string
  stateCode?: string
}

/** Facts for another instance of a generator; they give it no rights. */
export interface Carryover {
  store?: string
  /** The first position that was not handed out. */
  position: bigint
  /** The highest end that the generator has or had, as a position. */
  haveUntil?: bigint
}

/** What a refused caller should do: raise `code`, or wait for the next answer, at most until `until`. */
export type Stance = { code: string } | { code?: undefined; until?: number | bigint }

export interface CodeFacts {
  http?: number
  permanent: boolean
  stops: boolean
  advice: string
}

/** Flag in the result of `fill` and `fillAvailable`: an ask or a write is due. */
export const ASK_IS_DUE = 0x8000_0000

type LayoutVerb = 'layoutFacts' | 'compose' | 'decompose' | 'firstId' | 'lastId'

/** The engine's verbs, with numbers and object indexes as arguments; parcels are sent before, in the order of the arguments. */
type Verb =
  | ('create' | 'free' | 'ids' | 'fill' | 'fillAvailable' | 'ready' | 'most' | 'refusal' | 'goodUntil' | 'stance' | 'failing' | 'stats')
  | ('wants' | 'pollAt' | 'poll' | 'handleGrant' | 'handleFailure' | 'retire' | 'forget' | 'resumed' | 'look')
  | ('carryover' | 'resume' | 'layoutInUse' | 'keep' | 'settled' | 'giveUp')
  | LayoutVerb
  | ('codes' | 'codeFromHttp' | 'codeFacts' | 'sentence')
type Exports = Raw & Calls<Verb>

/** The engine in a wasm file: plain functions over a handle. The border passes its values. Only Node's keeps state files. */
export function wasmEngine(wasm: Wasm) {
  const border = new Border<Exports>(compiled(wasm))
  /** A view of the IDs in wasm memory: empty before the first call, and once the memory has grown. */
  let written = new BigUint64Array()
  const look = (n: number) => {
    // First, because it may grow the memory, which replaces the buffer.
    const place = border.wasm.ids(n)
    written = new BigUint64Array(border.wasm.memory.buffer, place, n)
  }
  /** Has the engine write IDs, as many as `out` has room for, and copies them; returns the engine's result. */
  const drawn = (out: BigUint64Array, fill: (n: number) => number) => {
    if (out.length > written.length) look(out.length)
    const told = fill(out.length)
    if (written.length < out.length) look(out.length)
    const count = told & ~ASK_IS_DUE
    // A view costs as much as twenty IDs.
    if (count < 16) for (let at = 0; at < count; at++) out[at] = written[at]!
    else out.set(count === written.length ? written : written.subarray(0, count))
    return told >>> 0
  }
  const said = <T>(call: (wasm: Exports) => void) => border.told(() => call(border.wasm)) as T
  const object = <T>(call: (wasm: Exports) => number) => border.object(() => call(border.wasm)) as T
  const read = <T>(given: object, call: (wasm: Exports, place: number) => number) => border.object((place) => call(border.wasm, place!), given) as T
  return {
    create(handle: number, kind: 'segment' | 'snowflake', config: object, seed: bigint) {
      border.send(kind)
      return read<Refused | undefined>(config, (wasm, place) => wasm.create(handle, place, seed))
    },
    free: (handle: number) => void border.wasm.free(handle),
    /** Fills all of `out`, or returns 0 with nothing written or spent; plus `ASK_IS_DUE`. */
    fill: (handle: number, now: number, out: BigUint64Array) => drawn(out, (n) => border.wasm.fill(handle, now, n)),
    /** Fills as much of `out` as there are IDs at hand; returns how many, plus `ASK_IS_DUE`. */
    fillAvailable: (handle: number, now: number, out: BigUint64Array) => drawn(out, (n) => border.wasm.fillAvailable(handle, now, n)),
    /** The last of this many IDs that were just filled. */
    lastOf: (count: number) => written[count - 1],
    ready: (handle: number, now: number, n: number) => border.wasm.ready(handle, now, n) !== 0,
    most: (handle: number) => border.wasm.most(handle),
    refusal: (handle: number) => object<Refused>((wasm) => wasm.refusal(handle)),
    goodUntil: (handle: number) => border.wasm.goodUntil(handle),
    wants: (handle: number, now: number) => border.wasm.wants(handle, now) !== 0,
    pollAt: (handle: number) => said<bigint | undefined>((wasm) => wasm.pollAt(handle)),
    /** What to do now: an ask's fields with its kind as `ask`; for a write of the state file, its bytes as `write`. */
    poll(handle: number, now: number, entropy: Uint8Array): object | undefined {
      border.send(entropy)
      let ask: object | undefined
      const write = said<Uint8Array | undefined>((wasm) => (ask = object(() => wasm.poll(handle, now))))
      return write === undefined ? ask : { ask: 'write', write }
    },
    handleGrant(handle: number, request: string, answer: object, sent: number, now: number) {
      border.send(request)
      return read<Verdict>(answer, (wasm, place) => wasm.handleGrant(handle, place, sent, now))
    },
    handleFailure(handle: number, request: string, code: string, retryAfterMs: number | undefined, now: number) {
      border.send(request)
      border.send(code)
      border.wasm.handleFailure(handle, retryAfterMs ?? Number.NaN, now)
    },
    retire: (handle: number) => object<object | undefined>((wasm) => wasm.retire(handle)),
    forget: (handle: number) => void border.wasm.forget(handle),
    resumed: (handle: number) => void border.wasm.resumed(handle),
    /** How many ms the wall clock leapt since the last look, by the monotonic clock; after a leap an ask is due. */
    look: (handle: number, ticking: number, wall: number) => border.wasm.look(handle, ticking, wall),
    carryover: (handle: number) => object<Carryover>((wasm) => wasm.carryover(handle)),
    /** Only before the first grant. `highest` is the last ID that was handed out, in this layout. */
    resume(handle: number, before: Carryover, highest?: bigint, layout?: object) {
      const resumed = (before?: number, layout?: number) => border.wasm.resume(handle, before!, highest === undefined ? 0 : 1, highest ?? 0n, layout!)
      return border.object(resumed, before, layout) as Refused | undefined
    },
    layoutInUse: (handle: number) => object<object | undefined>((wasm) => wasm.layoutInUse(handle)),
    /** What a refused caller should do once the due ask was sent: raise `code`, or wait. */
    stance(handle: number, code: string, until: number | undefined, now: number) {
      border.send(code)
      return object<Stance>((wasm) => wasm.stance(handle, until ?? Number.NaN, now))
    },
    failing: (handle: number) => said<string | undefined>((wasm) => wasm.failing(handle)),
    stats: (handle: number) => object<RawStats>((wasm) => wasm.stats(handle)),

    /** Has a snowflake generator keep a state file, with this right in it; returns whether that is another generator's. */
    keep(handle: number, right: Uint8Array, now: number) {
      border.send(right)
      return border.wasm.keep(handle, now) !== 0
    },
    /** Applies the outcome of a write of the state file. */
    settled: (handle: number, isWritten: boolean, now: number) => object<Verdict>((wasm) => wasm.settled(handle, Number(isWritten), now)),
    /** As `retire`, but also gives back the window that the state file keeps. */
    giveUp: (handle: number) => object<object | undefined>((wasm) => wasm.giveUp(handle)),

    /** What a layout, or an ID in it, consists of; an ID. */
    layout: (verb: LayoutVerb, layout: object, ...given: (number | bigint)[]) => read<object>(layout, (wasm, place) => wasm[verb](place, ...given)),

    codes: () => said<string>((wasm) => wasm.codes()).split(' '),
    /** The code for an HTTP answer without one. */
    codeFromHttp: (status: number) => said<string>((wasm) => wasm.codeFromHttp(status)),
    codeFacts(code: string) {
      border.send(code)
      return object<CodeFacts | undefined>((wasm) => wasm.codeFacts())
    },
    /** The message of a refusal about the `tag` or `namespace` `name`; of any other kind, `name` begins the sentence. */
    sentence(code: string, kind: string, name: string, most = Number.NaN, waitMs = Number.NaN) {
      for (const text of [code, kind, name]) border.send(text)
      return said<string>((wasm) => wasm.sentence(most, waitMs))
    },

    /** Replaces the instance with a new one, after a trap. */
    rebuild() {
      border.build()
      // The IDs in the previous instance's memory were handed out.
      written = new BigUint64Array()
    },
  }
}
