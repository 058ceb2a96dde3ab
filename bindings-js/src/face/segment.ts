import { theHost } from '../hosts/host.js'
import { shown } from '../values/errors.js'
import { BaseGenerator, type GeneratorOptions } from './generator.js'

/** What a `Segment` can be told. */
export interface SegmentOptions extends GeneratorOptions {
  /** How many numbers to lease at first; the tag's own step if not said. */
  step?: number
  /** The step grows to this multiple of the tag's own at most; on Workers to 16 times. */
  maxGrowth?: number
}

/**
 * Hands out the numbers of one tag, strictly ascending within this generator, as `bigint`s.
 *
 * Nothing is leased before the first ID. `TAG_INVALID`, `STEP_INVALID` for bad arguments.
 */
export class Segment extends BaseGenerator {
  /** The tag. */
  readonly tag: string

  constructor(tag: string, options: SegmentOptions = {}) {
    const config = { tag, step: options.step, max_growth: options.maxGrowth ?? theHost().maxGrowth }
    super({ kind: 'segment', config, what: `tag ${shown(tag)}` }, ['lease_segment'], options)
    this.tag = tag
  }
}
