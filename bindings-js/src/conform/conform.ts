import type { Store, Verb } from '../stores/store.js'
import { checkOptions } from '../values/options.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'
import { cases, Finding, Player, Skip, type Means } from './player.js'

/** Options of `conform`. The tag and the namespace must be of no other use: the check stops the tag in the end. */
export interface ConformOptions {
  /** An existing tag: `conform` by default. */
  tag?: string
  /** An existing namespace with ticks of at most 500 ms, best with 2 to 16 worker numbers: `conform` by default. */
  namespace?: string
  /** Sets the store's clock, in ms since 1970: then no check waits. Else the check takes up to a minute. */
  setClock?: (ms: number) => void
  /** Makes another object for the same store, as another process would. */
  again?: () => Store
}

/** The result for a store that passes every case it could be given. */
export interface Conformed {
  /** Names of the cases. */
  passed: string[]
  /** Cases that could not be checked, each with the reason. */
  skipped: Record<string, string>
}

/** The failed cases of a store, each under its name. */
export class ConformError extends Error {
  override readonly name = 'ConformError'
  readonly failed: Readonly<Record<string, string>>

  constructor(failed: Readonly<Record<string, string>>, count: number) {
    const lines = Object.entries(failed).map(([name, why]) => `${name}: ${why}`)
    super([`${lines.length} of ${count} checks failed`, ...lines].join('\n  '))
    this.failed = failed
  }
}

const START = 1_800_000_000_000

/**
 * Checks that a custom store does what generators rely on. Rejects with a `ConformError` that names the failed cases;
 * `REQUEST_INVALID` for unknown options, and for a store without `lease_segment` and `acquire`.
 */
export async function conform(store: Store, options: ConformOptions = {}): Promise<Conformed> {
  checkOptions(options, { names: ['tag', 'namespace', 'setClock', 'again'] })
  const { tag = 'conform', namespace = 'conform', setClock, again } = options
  const player = new Player(store, { tag, namespace }, { pass: setClock === undefined ? wait : scripted(setClock), again })
  const has = (need: string) => (need === 'clock' || need === 'again' ? { clock: setClock, again }[need] !== undefined : typeof store[need as Verb] === 'function')
  const chosen = cases.filter(({ needs }) => needs.every(has))
  if (chosen.length === 0) throw new LeafidError('REQUEST_INVALID', `a store has \`lease_segment\`, or \`acquire\`, \`renew\` and \`release\`, got ${shown(store)}`)
  const [found, failed]: [Conformed, Record<string, string>] = [{ passed: [], skipped: {} }, {}]
  for (const { name, ...played } of chosen) {
    try {
      await player.play(played)
      found.passed.push(name)
    } catch (error) {
      if (error instanceof Skip) found.skipped[name] = error.message
      else failed[name] = error instanceof Finding ? error.message : `it failed with ${shown(error)}`
    }
  }
  if (Object.keys(failed).length > 0) throw new ConformError(failed, chosen.length)
  return found
}

const wait: Means['pass'] = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function scripted(setClock: (ms: number) => void): Means['pass'] {
  let now = START
  setClock(now)
  return (ms) => Promise.resolve(setClock((now += ms)))
}
