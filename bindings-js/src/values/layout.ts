import { theEngine } from '../engines/engine.js'
import { LeafidError } from './errors.js'
import { checkNames, checkOptions } from './options.js'
import { accepted, subject } from './refusals.js'
import { shown } from './shown.js'
import { anyId, checkedId } from './text.js'

/** A layout's own five fields. */
export interface LayoutFields {
  epochMs: number
  tickMs: number
  timeBits: number
  workerBits: number
  sequenceBits: number
}

/** The name of a preset. */
export type LayoutName = 'leaf' | 'edge' | 'long' | 'js53'

/** The parts of an ID. */
export interface Parts {
  /** The beginning of its tick. An invalid `Date` beyond the year 275760. */
  time: Date
  /** The beginning of its tick, in ms since 1970. */
  timeMs: bigint
  /** Ticks since the epoch. */
  tick: bigint
  /** The worker number. */
  worker: number
  /** The number within the tick. */
  sequence: bigint
}

interface Facts extends LayoutFields {
  lastMs: bigint
  perSecond: bigint
  workers: bigint
}

/** Values of which an ID is made, or the ID. */
type Values = { time?: Moment; worker?: unknown; sequence?: unknown; id?: bigint }

/** A moment: a `Date`, or ms since 1970. */
export type Moment = Date | number | bigint

const LAYOUT = /* @__PURE__ */ subject('other', 'the layout')
export const LAYOUT_FIELDS = ['epochMs', 'tickMs', 'timeBits', 'workerBits', 'sequenceBits'] as const

/** The names of the presets. */
export const PRESETS = /* @__PURE__ */ new Set<unknown>(['leaf', 'edge', 'long', 'js53'])

/** How time, worker and sequence share the bits of an ID: at most 63 together. */
export class Layout {
  /** Twitter's and Leaf's: 41/10/12 bits, 1 ms, since 2010-11-04. */
  static readonly leaf = /* @__PURE__ */ new Layout('leaf')
  /** For thousands of isolates: 41/16/6 bits, 1 ms, since 2025. */
  static readonly edge = /* @__PURE__ */ new Layout('edge')
  /** For 174 years: 39/16/8 bits, 10 ms, since 2025. */
  static readonly long = /* @__PURE__ */ new Layout('long')
  /** For JavaScript numbers (below 2^53): 39/8/6 bits, 10 ms, since 2025. */
  static readonly js53 = /* @__PURE__ */ new Layout('js53')

  readonly #given: LayoutName | LayoutFields
  #facts: Facts | undefined

  /** A preset by its name, or your own layout. `LAYOUT_INVALID` if the bits do not fit. */
  constructor(given: LayoutName | LayoutFields) {
    this.#given = typeof given === 'string' ? given : isLayout(given) ? given.toJSON() : { ...given }
    if (typeof this.#given === 'object') checkNames(this.#given, LAYOUT_FIELDS, 'field')
    // The presets are built before an engine is loaded, and need no check.
    if (!PRESETS.has(given)) this.#known()
  }

  /** Where time begins, in ms since 1970. */
  get epochMs(): number {
    return this.#known().epochMs
  }
  /** How long a tick is, in ms. */
  get tickMs(): number {
    return this.#known().tickMs
  }
  /** Bits of the time. */
  get timeBits(): number {
    return this.#known().timeBits
  }
  /** Bits of the worker number. */
  get workerBits(): number {
    return this.#known().workerBits
  }
  /** Bits of the sequence. */
  get sequenceBits(): number {
    return this.#known().sequenceBits
  }
  /** The last moment that fits, in ms since 1970. */
  get lastMs(): bigint {
    return this.#known().lastMs
  }
  /** The number of IDs of one worker in a second. */
  get perSecond(): bigint {
    return this.#known().perSecond
  }
  /** The number of worker numbers. */
  get workers(): bigint {
    return this.#known().workers
  }

  /** The ID of a moment, a worker and a sequence number. `TIME_OVERFLOW`, `WORKER_INVALID`, `RANGE_INVALID`. */
  compose(time: Moment, worker: number, sequence: bigint | number): bigint {
    const ms = millis(time)
    if (!isWhole(worker, 2n ** 32n)) throw new LeafidError('WORKER_INVALID', this.#meaning({ worker }).WORKER_INVALID())
    if (!isWhole(sequence, 2n ** 64n)) throw new LeafidError('RANGE_INVALID', this.#meaning({ sequence }).RANGE_INVALID())
    const answer = theEngine().layout('compose', { layout: this.#given }, ms, worker, BigInt(sequence))
    return this.#made<{ id: bigint }>(answer, { time, worker, sequence }).id
  }

  /** The parts of an ID. `ID_INVALID` if it has bits above the layout's. */
  decompose(id: bigint): Parts {
    const answer = theEngine().layout('decompose', { layout: this.#given }, checkedId(id))
    const { timeMs, tick, worker, sequence } = this.#made<{ timeMs: bigint; tick: bigint; worker: number; sequence: bigint }>(answer, { id })
    return { time: new Date(Number(timeMs)), timeMs, tick, worker, sequence }
  }

  /** The smallest ID that a moment can have, over all workers: the lower bound of a range query. */
  firstId(time: Moment): bigint {
    return this.#made<{ id: bigint }>(theEngine().layout('firstId', { layout: this.#given }, millis(time)), { time }).id
  }

  /** The largest ID that a moment can have: the upper bound (included) of a range query. */
  lastId(time: Moment): bigint {
    return this.#made<{ id: bigint }>(theEngine().layout('lastId', { layout: this.#given }, millis(time)), { time }).id
  }

  /** Its own five fields. */
  toJSON(): LayoutFields {
    const { epochMs, tickMs, timeBits, workerBits, sequenceBits } = this.#known()
    return { epochMs, tickMs, timeBits, workerBits, sequenceBits }
  }

  #known(): Facts {
    const asked = { layout: this.#given }
    this.#facts ??= accepted(LAYOUT, theEngine().layout('layoutFacts', asked), { given: { layout: { value: asked } } }) as Facts
    return this.#facts
  }

  /** The engine's answer, or throws which of the given values does not fit. */
  #made<T>(answer: object, given: Values): T {
    return accepted(LAYOUT, answer, 'code' in answer ? { meaning: this.#meaning(given) } : {}) as T
  }

  #meaning({ time, worker, sequence, id }: Values) {
    const known = () => this.#known()
    const mustBe = (what: string, wanted: string, got: unknown) => `the ${what} must be ${wanted} in this layout, got ${shown(got)}`
    return {
      TIME_OVERFLOW: () => mustBe('time', `${day(known().epochMs)} to ${day(Number(known().lastMs))}`, time),
      WORKER_INVALID: () => mustBe('worker number', `0 to ${known().workers - 1n}`, worker),
      RANGE_INVALID: () => mustBe('sequence', `0 to ${2n ** BigInt(known().sequenceBits) - 1n}`, sequence),
      ID_INVALID() {
        const { timeBits, workerBits, sequenceBits } = known()
        return `${shown(id)} has more than the ${timeBits + workerBits + sequenceBits} bits of the layout: decode it with the layout that it was made with`
      },
    }
  }
}

/** The options of `decode`. */
export interface DecodeOptions {
  /** The ID's layout: `leaf` by default. */
  layout?: Layout | LayoutName | LayoutFields
}

/**
 * The parts of an ID: of a `bigint`, of decimal text, or of a number below 2^53, by default in the layout `leaf`. The
 * layout may be passed with or without `{ layout }` around it. `ID_INVALID`, `LAYOUT_INVALID`, `REQUEST_INVALID`.
 */
export function decode(id: bigint | string | number, options: DecodeOptions | Layout | LayoutName | LayoutFields = {}): Parts {
  return asLayout(layoutOf(options)).decompose(anyId(id))
}

function layoutOf(given: DecodeOptions | Layout | LayoutName | LayoutFields): Layout | LayoutName | LayoutFields {
  if (typeof given === 'string' || isLayout(given)) return given
  if (typeof given === 'object' && given !== null && LAYOUT_FIELDS.some((field) => field in given)) return given as LayoutFields
  checkOptions(given, { names: ['layout'] })
  return (given as DecodeOptions).layout ?? Layout.leaf
}

export function asLayout(layout: Layout | LayoutName | LayoutFields): Layout {
  return layout instanceof Layout ? layout : new Layout(layout)
}

/** Whether a value is a layout, also of another copy of the package. */
export function isLayout(value: unknown): value is Layout {
  const { toJSON, decompose } = (value ?? {}) as Partial<Layout>
  return typeof toJSON === 'function' && typeof decompose === 'function'
}

/** Whole ms; what does not fit 64 bits is beyond every layout. */
function millis(time: Moment): bigint {
  const ms = time instanceof Date ? time.getTime() : time
  const end = 2n ** 63n - 1n
  if (typeof ms !== 'bigint' && !Number.isFinite(ms)) {
    throw new LeafidError('TIME_OVERFLOW', `the time must be a Date or ms since 1970, got ${shown(time)}`)
  }
  const whole = typeof ms === 'bigint' ? ms : BigInt(Math.floor(ms))
  return whole > end ? end : whole < -end - 1n ? -end - 1n : whole
}

function isWhole(value: unknown, end: bigint): value is number | bigint {
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'bigint') return false
  return (value as number | bigint) >= 0 && (value as number | bigint) < end
}

/** A time for people; in ms beyond the range of `Date`. */
function day(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`
}
