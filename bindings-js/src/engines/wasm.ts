import { Border, type Calls, type Raw } from './border.js'
import { ASK_IS_DUE, type Carryover, type CodeFacts, type Engine, type RawStats, type Refused, type Stance, type Verdict } from './engine.js'

/**
 * The engine's functions, one for each verb, with numbers and object indexes as arguments; parcels are sent before, in
 * the order of the arguments. `ids` returns the address for IDs, with room for at least the given number.
 */
type Exports = Raw & Calls<keyof Omit<Engine, 'kind' | 'state' | 'rebuild'> | 'ids'>

/** An engine in wasm; the border passes its values. */
export function wasmEngine(module: WebAssembly.Module): Engine {
  const border = new Border<Exports>(module)
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
    out.set(count === written.length ? written : written.subarray(0, count))
    return told >>> 0
  }
  const said = <T>(call: (wasm: Exports) => void) => border.told(() => call(border.wasm)) as T
  const object = <T>(call: (wasm: Exports) => number) => border.object(() => call(border.wasm)) as T
  const read = <T>(given: object, call: (wasm: Exports, place: number) => number) => border.object((place) => call(border.wasm, place!), given) as T
  return {
    kind: 'wasm',
    engineVersion: () => said((wasm) => wasm.engineVersion()),
    create(handle, kind, config, seed) {
      border.send(kind)
      return read<Refused | undefined>(config, (wasm, place) => wasm.create(handle, place, seed))
    },
    free: (handle) => border.wasm.free(handle),
    fill: (handle, now, out) => drawn(out, (n) => border.wasm.fill(handle, now, n)),
    fillAvailable: (handle, now, out) => drawn(out, (n) => border.wasm.fillAvailable(handle, now, n)),
    ready: (handle, now, n) => border.wasm.ready(handle, now, n) !== 0,
    most: (handle) => border.wasm.most(handle),
    refusal: (handle) => object<Refused>((wasm) => wasm.refusal(handle)),
    goodUntil: (handle) => border.wasm.goodUntil(handle),
    wants: (handle, now) => border.wasm.wants(handle, now) !== 0,
    pollAt: (handle) => said((wasm) => wasm.pollAt(handle)),
    poll(handle, now, entropy) {
      border.send(entropy)
      return object((wasm) => wasm.poll(handle, now))
    },
    handleGrant(handle, request, answer, sent, now) {
      border.send(request)
      return read<Verdict>(answer, (wasm, place) => wasm.handleGrant(handle, place, sent, now))
    },
    handleFailure(handle, request, code, retryAfterMs = Number.NaN, now) {
      border.send(request)
      border.send(code)
      border.wasm.handleFailure(handle, retryAfterMs, now)
    },
    retire: (handle) => object((wasm) => wasm.retire(handle)),
    forget: (handle) => border.wasm.forget(handle),
    resumed: (handle) => border.wasm.resumed(handle),
    look: (handle, ticking, wall) => border.wasm.look(handle, ticking, wall),
    carryover: (handle) => object<Carryover>((wasm) => wasm.carryover(handle)),
    resume(handle, before, highest, layout) {
      const resumed = (before?: number, layout?: number) => border.wasm.resume(handle, before!, highest === undefined ? 0 : 1, highest ?? 0n, layout!)
      return border.object(resumed, before, layout) as Refused | undefined
    },
    layoutInUse: (handle) => object((wasm) => wasm.layoutInUse(handle)),
    stance(handle, code, until = Number.NaN, now) {
      border.send(code)
      return object<Stance>((wasm) => wasm.stance(handle, until, now))
    },
    failing: (handle) => said((wasm) => wasm.failing(handle)),
    stats: (handle) => object<RawStats>((wasm) => wasm.stats(handle)),

    layoutFacts: (layout) => read(layout, (wasm, place) => wasm.layoutFacts(place)),
    compose: (layout, timeMs, worker, sequence) => read(layout, (wasm, place) => wasm.compose(place, timeMs, worker, sequence)),
    decompose: (layout, id) => read(layout, (wasm, place) => wasm.decompose(place, id)),
    firstId: (layout, timeMs) => read(layout, (wasm, place) => wasm.firstId(place, timeMs)),
    lastId: (layout, timeMs) => read(layout, (wasm, place) => wasm.lastId(place, timeMs)),

    toBase32: (id) => said((wasm) => wasm.toBase32(id)),
    toDecimal: (id) => said((wasm) => wasm.toDecimal(id)),
    fromBase32(text) {
      border.send(text)
      return said((wasm) => wasm.fromBase32())
    },
    fromDecimal(text) {
      border.send(text)
      return said((wasm) => wasm.fromDecimal())
    },

    codes: () => said<string>((wasm) => wasm.codes()).split(' '),
    codeFromHttp: (status) => said((wasm) => wasm.codeFromHttp(status)),
    codeFacts(code) {
      border.send(code)
      return object<CodeFacts | undefined>((wasm) => wasm.codeFacts())
    },
    sentence(code, kind, name, most = Number.NaN, waitMs = Number.NaN) {
      for (const text of [code, kind, name]) border.send(text)
      return said((wasm) => wasm.sentence(most, waitMs))
    },

    rebuild() {
      border.build()
      // The IDs in the previous instance's memory were handed out.
      written = new BigUint64Array()
    },
  }
}
