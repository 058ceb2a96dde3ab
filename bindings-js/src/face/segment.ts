import { theHost } from '../hosts/host.js'
import { checkOptions } from '../values/options.js'
import { subject } from '../values/refusals.js'
import { shown } from '../values/shown.js'
import { BaseGenerator } from './generator.js'
import { knownOptions, type GeneratorOptions } from './options.js'

const OPTIONS = /* @__PURE__ */ knownOptions(['step', 'maxStep', 'maxGrowth'])

/** The options of a `Segment`. */
export interface SegmentOptions extends GeneratorOptions {
  /** The size of the first lease: the tag's own step by default. */
  step?: number
  /** The most numbers to lease, and so to draw, at once: the tag's own `maxStep` by default, and never above it. */
  maxStep?: number
  /** How far the step may grow, as a multiple of the tag's own: unlimited by default, 16 on Workers and in browsers. */
  maxGrowth?: number
}

/**
 * Hands out the numbers of one tag, strictly ascending within this generator, as `bigint`s.
 *
 * Leases nothing before the first ID. `new Segment<'order'>(…)` gives `Id<'order'>`, which the compiler tells from
 * other IDs. `TAG_INVALID`, `STEP_INVALID`, `REQUEST_INVALID` for bad arguments.
 */
export class Segment<Kind extends string = never> extends BaseGenerator<Kind> {
  /** The tag. */
  readonly tag: string

  constructor(tag: string, options: SegmentOptions = {}) {
    checkOptions(options, OPTIONS)
    const { step, maxStep, maxGrowth = theHost().maxGrowth } = options
    const config = { tag, step, maxStep, maxGrowth }
    const mustBe = maxStep === undefined ? {} : { step: `a whole number from 1 to \`maxStep\`, which is ${shown(maxStep)}` }
    super({ kind: 'segment', config, subject: subject('tag', tag), mustBe }, ['leaseSegment'], options)
    this.tag = tag
  }
}
