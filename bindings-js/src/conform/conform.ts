import type { Store, Verb } from '../stores/store.js'
import { checkOptions } from '../values/options.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'
import { cases, Finding, Player, Skip, type Means } from './player.js'

/** What a store is checked with. Nothing else may use this tag and this namespace; the tag is stopped in the end: use a fresh one. */
export interface ConformOptions {
  /** A tag that is there: `conform` by default. */
  tag?: string
  /** A namespace that is there, of ticks of at most 500 ms, best with 2 to 16 worker numbers: `conform` by default. */
  namespace?: string
  /** Sets the clock of a store that takes one, in ms since 1970: no check waits then. Else it is real time, of less than a minute. */
  setClock?: (ms: number) => void
  /** Makes another object for the same store, as another process would have it. */
  again?: () => Store
}

/** What was found of a store that does what it must. */
export interface Conformed {
  /** The names of the cases. */
  passed: string[]
  /** What could not be looked at, and why. */
  skipped: Record<string, string>
}

/** What a store does not do as it must, by the names of the cases. */
export class ConformError extends Error {
  override readonly name = 'ConformError'
  readonly failed: Readonly<Record<string, string>>

  constructor(failed: Readonly<Record<string, string>>, count: number) {
    const lines = Object.entries(failed).map(([name, why]) => `${name}: ${why}`)
    super([`${lines.length} of ${count} checks failed`, ...lines].join('\n  '))
    this.failed = failed
  }
}

/** When a scripted store's time begins, in ms. */
const START = 1_800_000_000_000

/**
 * Checks that a store of one's own does what generators rely on. Rejects with a `ConformError` that names what it does not;
 * `REQUEST_INVALID` for options that are not known, and a store without `lease_segment` and `acquire`.
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
