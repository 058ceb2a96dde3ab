import type { Store } from '../stores/store.js'
import { checkOptions } from '../values/options.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'
import { Book, Finding, type Time } from './book.js'
import { segmentChecks } from './segments.js'
import { windowChecks } from './windows.js'

/** What a store is checked with. Nothing else may use this tag and this namespace; the tag is stopped in the end: use a fresh one. */
export interface ConformOptions {
  /** A tag that is there: `conform` by default. */
  tag?: string
  /** A namespace that is there, best with 2 to 16 worker numbers: `conform` by default. */
  namespace?: string
  /** Sets the clock of a store that takes one, in ms since 1970: no check waits then. Else it is real time, of less than a minute. */
  setClock?: (ms: number) => void
  /** The store creates tags and namespaces on first use. */
  createsOnUse?: boolean
}

/** What was found of a store that does what it must. */
export interface Conformed {
  /** The names of the checks. */
  passed: string[]
  /** What could not be looked at, and why. */
  skipped: Record<string, string>
}

/** What a store does not do as it must, by the names of the checks. */
export class ConformError extends Error {
  override readonly name = 'ConformError'
  readonly failed: Readonly<Record<string, string>>

  constructor(failed: Readonly<Record<string, string>>, count: number) {
    const lines = Object.entries(failed).map(([check, why]) => `${check}: ${why}`)
    super([`${lines.length} of ${count} checks failed`, ...lines].join('\n  '))
    this.failed = failed
  }
}

/** When a scripted store's time begins, in ms. */
const START = 1_800_000_000_000

type Check = () => Promise<string | undefined | void>

/**
 * Checks that a store of one's own does what generators rely on. Rejects with a `ConformError` that names what it does not;
 * `REQUEST_INVALID` for options that are not known, and a store without `lease_segment` and `acquire`.
 */
export async function conform(store: Store, options: ConformOptions = {}): Promise<Conformed> {
  checkOptions(options, { names: ['tag', 'namespace', 'setClock', 'createsOnUse'] })
  const { tag = 'conform', namespace = 'conform', setClock, createsOnUse = false } = options
  const book = new Book(store)
  const time = setClock === undefined ? REAL : scripted(setClock)
  const { 'lease-went-back': leaseWentBack, 'renew-went-back': renewWentBack, ...checks }: Record<string, Check> = {
    ...(book.has('lease_segment') ? segmentChecks(book, tag, createsOnUse) : {}),
    ...(book.has('acquire') ? windowChecks(book, namespace, time, createsOnUse) : {}),
  }
  if (Object.keys(checks).length === 0) {
    throw new LeafidError('REQUEST_INVALID', `a store has \`lease_segment\`, or \`acquire\`, \`renew\` and \`release\`, got ${shown(store)}`)
  }
  const [found, failed]: [Conformed, Record<string, string>] = [{ passed: [], skipped: {} }, {}]
  checks['time-never-back'] = async () => {
    if (setClock !== undefined) await backAnHour(checks, setClock, time)
    if (book.backwards !== undefined) throw new Finding(book.backwards)
  }
  // The last ones: nothing more is leased from the tag, and the number rests for as long as any window lasts.
  if (leaseWentBack !== undefined) checks['lease-went-back'] = leaseWentBack
  if (renewWentBack !== undefined) checks['renew-went-back'] = renewWentBack
  for (const [name, check] of Object.entries(checks)) {
    try {
      const why = await check()
      if (typeof why === 'string') found.skipped[name] = why
      else found.passed.push(name)
    } catch (error) {
      failed[name] = error instanceof Finding ? error.message : `it failed with ${shown(error)}`
    }
  }
  if (Object.keys(failed).length > 0) throw new ConformError(failed, Object.keys(checks).length)
  return found
}

const REAL: Time = { pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }

interface Scripted extends Time {
  now: number
}

function scripted(setClock: (ms: number) => void): Scripted {
  const time: Scripted = {
    now: START,
    async pass(ms) {
      setClock((time.now += ms))
    },
  }
  setClock(time.now)
  return time
}

/** A clock that is set back: what is granted then must not be what was granted before. */
async function backAnHour(checks: Record<string, Check>, setClock: (ms: number) => void, time: Time): Promise<void> {
  const { now } = time as Scripted
  setClock(now - 3_600_000)
  try {
    for (const name of ['lease-shape', 'acquire-at-once']) await checks[name]?.()
  } finally {
    setClock(now)
  }
}
