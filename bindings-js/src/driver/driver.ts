import { LeafidError, codeFacts, isLeafidError, isPermanent, refusalError, shown } from '../values/errors.js'
import type { Verdict } from '../engines/engine.js'
import { entropy, theHost } from '../hosts/host.js'
import { chosenStore, type StoreOption } from '../stores/chosen.js'
import type { ReleaseAsk, Store, Verb } from '../stores/store.js'
import type { Handle } from './handle.js'
import { isPromise, within } from './deadline.js'

/** An ask that got no answer for so long is given up; the core sends it again. */
const ASK_MS = 3_000
/** How often to look whether the host was suspended. */
const LOOK_MS = 1_000
/** No timer sleeps longer. */
const LONGEST_MS = 60_000

type Method = (ask: object, signal?: AbortSignal) => unknown

const VERBS: Record<string, Verb> = { segment: 'lease_segment', acquire: 'acquire', renew: 'renew' }

/** What an asker tells its generator. */
export interface Listener {
  /** A range was granted, or an ask failed. */
  answered(): void
  /** No ID may be handed out any more. */
  stopped(): void
}

/**
 * Carries a generator's asks to its store, one at a time. Who asks and when is the core's to say:
 * its pending ask is the plain-data ticket that requests share, and it expires after 3 s. A request
 * awaits only what it asked for itself.
 */
export class Asking {
  readonly #handle: Handle
  readonly #clock: () => number
  readonly #option: StoreOption | undefined
  readonly #verbs: readonly Verb[]
  readonly #what: string
  readonly #listener: Listener
  #chosen: Store | undefined
  #cancel: (() => void) | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  readonly #waiting = new Set<() => void>()
  /** How many asks are under way. */
  flying = 0
  /** Why the last ask failed, until one succeeds. */
  failure: LeafidError | undefined
  #failedAt = 0
  /** Nothing is asked for any more. */
  ended = false

  constructor(
    handle: Handle,
    clock: () => number,
    option: StoreOption | undefined,
    verbs: readonly Verb[],
    what: string,
    listener: Listener,
  ) {
    this.#handle = handle
    this.#clock = clock
    this.#option = option
    this.#verbs = verbs
    this.#what = what
    this.#listener = listener
    if (option !== undefined) this.#chosen = chosenStore(option, verbs)
  }

  /** Asks if an ask is due. `granted` is called with the grant, before anybody else can draw from it. */
  ask(now: number, granted?: () => void): Promise<void> | undefined {
    if (this.ended || !this.#handle.do((engine, handle) => engine.wantsAsk(handle, now))) return undefined
    const store = this.#store()
    const ask = this.#handle.do((engine, handle) => engine.pollAsk(handle, now, entropy(16)))
    if (ask == null) return undefined
    const { ask: kind, ...body } = ask as { ask: string; request: string }
    const work = this.#carry(store, VERBS[kind] ?? 'renew', body, now, granted)
    theHost().keep(work)
    this.#plan()
    return work
  }

  /** Where time is measured by two clocks: asks at once if the host was suspended since the last lease. */
  look(now: number): void {
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    if (this.#showsSuspend) this.#handle.do((engine, handle) => engine.look(handle, now, theHost().wall()))
  }

  get #showsSuspend(): boolean {
    return theHost().showsSuspend && this.#clock === theHost().clock
  }

  /** How long to wait at least from now on, in ms, by what the store said with its last failure. */
  retryAfter(now: number): number | undefined {
    const wait = this.failure?.retryAfter
    return wait === undefined ? undefined : Math.max(wait - Math.max(now - this.#failedAt, 0), 0)
  }

  /** The next answer, where callers may await each other's; `undefined` where each has to look again by itself. */
  get nextAnswer(): Promise<void> | undefined {
    if (!theHost().sharesPromises || this.flying === 0) return undefined
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** Gives a window back; that it could not be is no concern of who closes. */
  async release(release: object): Promise<void> {
    try {
      const stop = new AbortController()
      const method = this.#store().release as Method | undefined
      const work = Promise.resolve(method?.call(this.#store(), release, stop.signal))
      await within(ASK_MS, work, stop, () => this.#late('release'), true)
    } catch {
      // The window ends by itself.
    }
  }

  /** No timer of it goes on. */
  end(): void {
    this.ended = true
    this.#cancel?.()
  }

  /** Drops what is known of the store's answers. */
  forget(): void {
    this.failure = undefined
  }

  #store(): Store {
    return (this.#chosen ??= chosenStore(this.#option, this.#verbs))
  }

  /** Never rejects. A store that answers without a promise has answered when this returns. */
  #carry(store: Store, verb: Verb, body: { request: string }, sent: number, granted?: () => void): Promise<void> {
    const stop = new AbortController()
    const settle = (act: () => ReleaseAsk | undefined): ReleaseAsk | undefined => {
      try {
        const release = act()
        if (release === undefined) granted?.()
        return release
      } catch (error) {
        this.#fail(error, verb, body.request)
        return undefined
      } finally {
        this.#answered()
      }
    }
    const take = (answer: unknown) => settle(() => this.#take(answer, verb, body.request, sent))
    const fail = (error: unknown) =>
      settle(() => {
        throw error
      })
    let answer: unknown
    try {
      answer = (store[verb] as Method).call(store, body, stop.signal)
    } catch (error) {
      fail(error)
      return Promise.resolve()
    }
    if (!isPromise(answer)) {
      const release = take(answer)
      return release === undefined ? Promise.resolve() : this.release(release)
    }
    this.flying += 1
    return within(ASK_MS, answer, stop, () => this.#late(verb), false)
      .then(take, fail)
      .then((release) => (release === undefined ? undefined : this.release(release)))
      .finally(() => {
        this.flying -= 1
      })
  }

  /** Applies an answer; the release to send, if it came after closing. */
  #take(answer: unknown, verb: Verb, request: string, sent: number): ReleaseAsk | undefined {
    const now = this.#clock()
    if (typeof answer !== 'object' || answer === null) {
      throw this.#invalid(verb, `${shown(answer)} is no object`)
    }
    const echo = (answer as { request?: unknown }).request
    if (echo !== request) throw this.#invalid(verb, 'it does not echo the request')
    const verdict: Verdict = this.#handle.do((engine, handle) => engine.handleGrant(handle, request, answer, sent, now))
    if ('code' in verdict) {
      // The core has counted it.
      this.#note(refusalError(`the store's answer to \`${verb}\` for ${this.#what} was not used`, verdict))
      return undefined
    }
    if (verdict.outcome === 'release') return verdict.release as ReleaseAsk
    if (verdict.outcome === 'applied') {
      this.failure = undefined
      if (this.#showsSuspend) this.#handle.do((engine, handle) => engine.leased(handle, now, theHost().wall()))
    }
    return undefined
  }

  #fail(cause: unknown, verb: Verb, request: string): void {
    const known = isLeafidError(cause) && codeFacts(cause.code) !== undefined
    const error = known
      ? cause
      : new LeafidError(
          'STORE_UNAVAILABLE',
          `the store's \`${verb}\` for ${this.#what} failed with ${shown(cause)}: retry with back-off`,
          { cause },
        )
    this.#note(error)
    this.#handle.do((engine, handle) => engine.handleFailure(handle, request, error.code, error.retryAfter, this.#clock()))
  }

  #note(failure: LeafidError): void {
    this.failure = failure
    this.#failedAt = this.#clock()
  }

  #answered(): void {
    const code = this.#handle.do((engine, handle) => engine.failing(handle))
    if (code != null && codeFacts(code)?.stops === true) {
      this.end()
      this.#listener.stopped()
    }
    this.#listener.answered()
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
    this.#plan()
  }

  /** Sets a timer for the next ask, where timers may run between requests. */
  #plan(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const { later } = theHost()
    if (later === undefined || this.ended) return
    // What waiting cannot cure is asked for again by who wants an ID.
    if (this.failure !== undefined && isPermanent(this.failure.code)) return
    const due = this.#handle.do((engine, handle) => engine.pollAt(handle))
    if (due == null) return
    // Weakly: a generator that nobody holds any more is not kept by its timer.
    const self = new WeakRef(this)
    const ms = Math.min(Math.max(Number(due) - this.#clock(), 1), LONGEST_MS)
    this.#cancel = later(ms, () => self.deref()?.wake())
  }

  /** Its timer calls. */
  wake(): void {
    const now = this.#clock()
    this.look(now)
    if (this.ask(now) === undefined) this.#plan()
  }

  #invalid(verb: Verb, why: string): LeafidError {
    return new LeafidError(
      'GRANT_INVALID',
      `the store's answer to \`${verb}\` for ${this.#what} was not used, ${why}: check what answers as the store`,
    )
  }

  #late(verb: string): LeafidError {
    return new LeafidError('STORE_UNAVAILABLE', `the store did not answer \`${verb}\` within ${ASK_MS} ms: retry with back-off`)
  }
}
