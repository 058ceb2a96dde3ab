import { theEngine } from '../engines/engine.js'
import { LeafidError, accepted, shown } from './errors.js'
import { checkedId, fromDecimal } from './text.js'

/** A layout as it stands on the wire. */
export interface LayoutFields {
  epoch_ms: number
  tick_ms: number
  time_bits: number
  worker_bits: number
  sequence_bits: number
}

/** The name of a layout that everybody knows. */
export type LayoutName = 'leaf' | 'edge' | 'long' | 'js53'

/** What an ID is made of. */
export interface Parts {
  /** When it was stamped: the beginning of its tick. An invalid `Date` beyond the year 275760. */
  time: Date
  /** The same, in ms since 1970. */
  timeMs: bigint
  /** Ticks since the epoch. */
  tick: bigint
  /** The worker number. */
  worker: number
  /** The number within the tick. */
  sequence: bigint
}

interface Facts extends LayoutFields {
  last_ms: bigint
  per_second: bigint
  workers: bigint
}

/** A moment: a `Date`, or ms since 1970. */
export type Moment = Date | number | bigint

const PRESETS = new Set<unknown>(['leaf', 'edge', 'long', 'js53'])

/** How time, worker and sequence share the bits of an ID: at most 63 together. */
export class Layout {
  /** Twitter's and Leaf's: 41/10/12 bits, 1 ms, since 2010-11-04. */
  static readonly leaf = new Layout('leaf')
  /** For thousands of isolates: 41/16/6 bits, 1 ms, since 2025. */
  static readonly edge = new Layout('edge')
  /** For 174 years: 39/16/8 bits, 10 ms, since 2025. */
  static readonly long = new Layout('long')
  /** For JavaScript numbers (below 2^53): 39/8/6 bits, 10 ms, since 2025. */
  static readonly js53 = new Layout('js53')

  readonly #given: LayoutName | LayoutFields
  #facts: Facts | undefined

  /** A preset by its name, or a layout of one's own. `LAYOUT_INVALID` if the bits do not fit. */
  constructor(given: LayoutName | LayoutFields) {
    this.#given = typeof given === 'string' ? given : { ...given }
    // The presets are built before there is an engine, and need no check.
    if (!PRESETS.has(given)) this.#known()
  }

  /** Where time begins, in ms since 1970. */
  get epochMs(): number {
    return this.#known().epoch_ms
  }
  /** How long a tick is, in ms. */
  get tickMs(): number {
    return this.#known().tick_ms
  }
  /** The width of the time. */
  get timeBits(): number {
    return this.#known().time_bits
  }
  /** The width of the worker number. */
  get workerBits(): number {
    return this.#known().worker_bits
  }
  /** The width of the sequence. */
  get sequenceBits(): number {
    return this.#known().sequence_bits
  }
  /** The last moment that fits, in ms since 1970. */
  get lastMs(): bigint {
    return this.#known().last_ms
  }
  /** How many IDs one worker has in a second. */
  get perSecond(): bigint {
    return this.#known().per_second
  }
  /** How many worker numbers there are. */
  get workers(): bigint {
    return this.#known().workers
  }

  /** The ID of a moment, a worker and a sequence number. `TIME_OVERFLOW`, `WORKER_INVALID`, `RANGE_INVALID`. */
  compose(time: Moment, worker: number, sequence: bigint | number): bigint {
    if (!Number.isInteger(worker) || worker < 0 || worker > 0xffff_ffff) {
      throw new LeafidError('WORKER_INVALID', `${shown(worker)} is no worker number: pass a whole number inside the layout`)
    }
    const whole = bounded(sequence, 'RANGE_INVALID', 'a sequence number')
    return idOf('the parts', theEngine().compose({ layout: this.#given }, millis(time), worker, whole))
  }

  /** What an ID is made of. `ID_INVALID` if it has bits above the layout's. */
  decompose(id: bigint): Parts {
    const parts = accepted(`the ID ${shown(id)}`, theEngine().decompose({ layout: this.#given }, checkedId(id)))
    const { time_ms, tick, worker, sequence } = parts as {
      time_ms: bigint
      tick: bigint
      worker: number
      sequence: bigint
    }
    return { time: new Date(Number(time_ms)), timeMs: time_ms, tick, worker, sequence }
  }

  /** The smallest ID that a moment can have, over all workers: the lower bound of a range query. */
  firstId(time: Moment): bigint {
    return idOf('the time', theEngine().firstId({ layout: this.#given }, millis(time)))
  }

  /** The largest ID that a moment can have: the upper bound (included) of a range query. */
  lastId(time: Moment): bigint {
    return idOf('the time', theEngine().lastId({ layout: this.#given }, millis(time)))
  }

  /** As it stands on the wire. */
  toJSON(): LayoutFields {
    const { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits } = this.#known()
    return { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits }
  }

  #known(): Facts {
    this.#facts ??= accepted('the layout', theEngine().layoutFacts({ layout: this.#given })) as Facts
    return this.#facts
  }
}

/** What an ID (or its decimal text) is made of, in the layout `leaf` if none is said. */
export function decode(id: bigint | string, options: { layout?: Layout | LayoutName | LayoutFields } = {}): Parts {
  return asLayout(options.layout ?? Layout.leaf).decompose(typeof id === 'string' ? fromDecimal(id) : id)
}

/** A layout from whatever names one. */
export function asLayout(layout: Layout | LayoutName | LayoutFields): Layout {
  return layout instanceof Layout ? layout : new Layout(layout)
}

function idOf(what: string, answer: object): bigint {
  return (accepted(what, answer) as { id: bigint }).id
}

/** Whole ms; what no 64 bits hold is beyond every layout. */
function millis(time: Moment): bigint {
  const ms = time instanceof Date ? time.getTime() : time
  const end = 2n ** 63n - 1n
  if (typeof ms === 'number' && !Number.isFinite(ms)) {
    throw new LeafidError('TIME_OVERFLOW', `${shown(ms)} is no time: pass a Date or ms since 1970`)
  }
  const whole = typeof ms === 'bigint' ? ms : BigInt(Math.floor(ms))
  return whole > end ? end : whole < -end - 1n ? -end - 1n : whole
}

function bounded(value: bigint | number, code: string, what: string): bigint {
  const whole = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof whole === 'bigint' && whole >= 0n && whole < 2n ** 64n) return whole
  throw new LeafidError(code, `${shown(value)} is not ${what}: pass a whole number from 0`)
}
