import { LeafidError, shown } from '../values/errors.js'
import { theHost } from '../hosts/host.js'
import { asLayout, type Layout, type LayoutFields, type LayoutName } from '../values/layout.js'
import { BaseGenerator, type GeneratorOptions } from './generator.js'

/** What a `Snowflake` can be told. */
export interface SnowflakeOptions extends GeneratorOptions {
  /** The layout that the caller counts on; the namespace's own if not said. */
  layout?: Layout | LayoutName | LayoutFields
  /** The label of this holder; `hostname/pid` in Node, `edge` elsewhere. */
  owner?: string
  /** How long a window to ask for, in ms: an outage of the store is survived for as long as it lasts. All that the namespace allows; on Workers 10,000. */
  lengthMs?: number
  /** How far IDs may run ahead of the clock in a burst, in ms: 1,000 if not said, 0 is never. */
  maxAheadMs?: number
  /** The sequence of a fresh tick begins below this; 0 is at zero. */
  spread?: number
}

/**
 * Stamps IDs with the store's time and a leased worker number, ascending within this generator, as
 * `bigint`s.
 *
 * Nothing is leased before the first ID. `NAMESPACE_INVALID`, `LAYOUT_INVALID` for bad arguments.
 */
export class Snowflake extends BaseGenerator {
  /** The namespace. */
  readonly namespace: string

  constructor(namespace = 'default', options: SnowflakeOptions = {}) {
    noWorkers(options)
    const config = {
      namespace,
      owner: options.owner ?? theHost().owner(),
      layout: options.layout === undefined ? undefined : asLayout(options.layout).toJSON(),
      length_ms: options.lengthMs ?? theHost().windowMs,
      max_ahead_ms: options.maxAheadMs,
      spread: options.spread,
    }
    super({ kind: 'snowflake', config, what: `namespace ${shown(namespace)}` }, ['acquire', 'renew', 'release'], options)
    this.namespace = namespace
  }
}

/** A number that somebody wrote down is one that two processes use. */
function noWorkers(options: object): void {
  for (const name of ['worker', 'workers']) {
    if ((options as Record<string, unknown>)[name] !== undefined) {
      throw new LeafidError(
        'WORKER_INVALID',
        `\`${name}\` needs a store that keeps windows; let the store lease a number instead: \`new Snowflake('default', { store: 'http://127.0.0.1:8750' })\``,
      )
    }
  }
}
