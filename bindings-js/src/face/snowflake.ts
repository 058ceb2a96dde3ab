import type { StateFile } from '../driver/handle.js'
import { stateFile } from '../driver/state.js'
import { theHost } from '../hosts/host.js'
import { filesFor } from '../stores/journal.js'
import { LeafidError } from '../values/errors.js'
import { asLayout, type Layout, type LayoutFields, type LayoutName } from '../values/layout.js'
import { checkNames, checkObject } from '../values/options.js'
import { subject } from '../values/refusals.js'
import { shown } from '../values/shown.js'
import { BaseGenerator } from './generator.js'
import { clockOf, knownOptions, type GeneratorOptions } from './options.js'

const OPTIONS = /* @__PURE__ */ knownOptions(['layout', 'owner', 'sticky', 'strict', 'lengthMs', 'maxAheadMs', 'spread', 'state'])

/** The options of a `Snowflake`. */
export interface SnowflakeOptions extends GeneratorOptions {
  /** The layout that the caller expects: the namespace's own by default. */
  layout?: Layout | LayoutName | LayoutFields
  /** The label of this holder: `hostname/pid` in Node, Deno and Bun, `edge` elsewhere. */
  owner?: string
  /** Keeps one worker number for this `owner`, until 30 days after its last window. Borrows another if it is in use. */
  sticky?: boolean
  /** With `sticky`: waits for that number, and never borrows. */
  strict?: boolean
  /**
   * The length of a window, in ms: outages of the store up to this long are survived. By default the namespace's
   * longest; on Workers and in browsers 10,000.
   */
  lengthMs?: number
  /** How far IDs may run ahead of the clock in a burst, in ms: 1,000 by default, 0 for never. */
  maxAheadMs?: number
  /** A new tick's sequence begins at random below this, so that `id % shards` is even; 0: begins at zero. */
  spread?: number
  /**
   * The path of a file on a local disk, for this process alone: with it the process's next run starts at once even
   * without the store. In Node on Linux, with the native package.
   */
  state?: string
}

/**
 * Stamps IDs, as `bigint`s, with the store's time and a leased worker number, ascending within this generator.
 *
 * Leases nothing before the first ID. `new Snowflake<'order'>(…)` gives `Id<'order'>`, which the compiler tells from
 * other IDs. `NAMESPACE_INVALID`, `LAYOUT_INVALID`, `REQUEST_INVALID` for bad arguments.
 */
export class Snowflake<Kind extends string = never> extends BaseGenerator<Kind> {
  /** The namespace. */
  readonly namespace: string

  constructor(namespace = 'default', options: SnowflakeOptions = {}) {
    checkObject(options, OPTIONS)
    noWorkers(options)
    checkNames(options, OPTIONS.names, 'option')
    checkSticky(options)
    const config = {
      namespace,
      owner: options.owner ?? theHost().owner(),
      sticky: options.sticky,
      strict: options.strict,
      layout: options.layout === undefined ? undefined : asLayout(options.layout).toJSON(),
      lengthMs: options.lengthMs ?? theHost().windowMs,
      maxAheadMs: options.maxAheadMs,
      spread: options.spread,
    }
    const state = stateOf(options, namespace)
    super({ kind: 'snowflake', config, subject: subject('namespace', namespace), state }, ['acquire', 'renew', 'release'], options)
    this.namespace = namespace
  }
}

/** Refuses worker numbers in code: two processes would soon use the same one. */
function noWorkers(options: object): void {
  for (const name of ['worker', 'workers']) {
    if ((options as Record<string, unknown>)[name] !== undefined) {
      const lease = "`new Snowflake('default', { store: 'http://127.0.0.1:8750' })`"
      const limit = '`leafid namespace set default --workers 0..64`'
      const message = `\`${name}\` is not an option: let the store lease a number, ${lease}, and limit its numbers with ${limit}`
      throw new LeafidError('WORKER_INVALID', message)
    }
  }
}

/** Refuses `sticky` without `owner`: a number kept for a name that changes with each process is wasted. */
function checkSticky({ owner, sticky, strict }: SnowflakeOptions): void {
  if (sticky === true && owner === undefined) {
    const cure = 'pass one that is the same after a restart, and of one process only, such as the pod name of a StatefulSet'
    throw new LeafidError('REQUEST_INVALID', `\`sticky\` keeps a number for an \`owner\`, and there is none: ${cure}`)
  }
  if (strict === true && sticky !== true) {
    throw new LeafidError('REQUEST_INVALID', '`strict` waits for the number that `sticky` keeps: pass `sticky: true` with it')
  }
}

function stateOf({ state, clock: given }: SnowflakeOptions, namespace: string): StateFile | undefined {
  if (state === undefined) return undefined
  const clock = clockOf(given === undefined ? {} : { clock: given })
  const files = filesFor('state')
  const path = typeof state === 'string' ? files.absolute(state) : undefined
  if (path != null) return stateFile(files, path, namespace, clock)
  throw new LeafidError('STATE_INVALID', `\`state\` must be the path of a file, got ${shown(state)}`)
}
