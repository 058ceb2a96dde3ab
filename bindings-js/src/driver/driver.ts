import { theHost } from '../hosts/host.js'
import type { Chosen } from '../stores/chosen.js'
import { realm } from '../stores/realm.js'
import type { ReleaseAsk, Store, Verb } from '../stores/store.js'
import { codeFacts, LeafidError } from '../values/errors.js'
import { called } from '../values/refusals.js'
import { ask, failure, late, notAnAnswer, refusedAnswer, unused } from './answers.js'
import type { Action, Handle, Plan } from './handle.js'

/** The clock is compared with another one once readings are this far apart, in ms. */
const LOOK_MS = 1_000
const LONGEST_MS = 60_000

export interface Listener {
  /** A range was granted, or an ask failed. */
  answered(): void
  failed(error: LeafidError): void
  /** No ID may be handed out any more. */
  stopped(): void
}

/**
 * Carries a generator's asks to its store, one at a time. The core decides what to ask and when. Requests share its
 * pending ask, plain data that expires after 3 s, and await only what they asked for themselves.
 */
export class Driver {
  readonly #handle: Handle
  readonly #clock: () => number
  readonly #chosen: Chosen
  readonly #listener: Listener
  #close: (() => void) | undefined
  #cancel: (() => void) | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Correction for leaps of the clock, subtracted from its readings, in ms. */
  #leapt = 0
  readonly #waiting = new Set<() => void>()
  #failedAt = 0
  #lastNow = 0
  /** Whether the last reading of the clock failed. */
  #isStill = false
  #saving: Promise<void> | undefined
  flying = 0
  /** Why the last ask failed, until one succeeds. */
  failure: LeafidError | undefined
  ended = false
  hasAsked = false

  constructor(handle: Handle, clock: () => number, chosen: Chosen, listener: Listener) {
    this.#handle = handle
    this.#clock = clock
    this.#chosen = chosen
    this.#listener = listener
  }

  /**
   * Starts what is due: a write of the state file, an ask. The promise resolves once the ask is answered; `granted` is
   * called with the grant, before any other caller can draw from it.
   */
  ask(now: number, granted?: () => void): Promise<void> | undefined {
    if (this.ended) return undefined
    this.#lastNow = now
    while (this.#handle.ask('wants', now)) {
      // First, because it may throw.
      this.#chosen.store()
      const due = this.#handle.poll(now)
      if (due == null) break
      const work = this.#act(due, now, granted)
      if (work !== undefined) return work
    }
    return undefined
  }

  #act({ ask: kind, write, ...body }: Action, now: number, granted?: () => void): Promise<void> | undefined {
    if (write !== undefined) {
      const saving: Promise<void> = Promise.resolve(this.#handle.file('begin', write)).then(() => (this.#saving === saving ? this.#saved() : undefined))
      this.#saving = saving
      return undefined
    }
    this.hasAsked = true
    this.#close ??= opened(this.#handle.plan, this.#chosen.option)
    const work = this.#carry(this.#chosen.store(), kind === 'segment' ? 'leaseSegment' : kind, body as { request: string }, now, granted)
    theHost().keep(work)
    this.#plan()
    return work
  }

  /** As `ask`, but finishes writes, and asks to a store that answers at once. Returns whether anything was done. */
  askNow(now: number): boolean {
    const asked = this.ask(now) !== undefined
    return this.#saveNow() || asked
  }

  /** Finishes the write under way synchronously; returns whether there was one. */
  #saveNow(): boolean {
    if (this.#saving === undefined) return false
    void this.#saved()
    return true
  }

  /** Voids the state file before it returns. */
  voidState(): void {
    // A write under way comes first.
    this.#saveNow()
    this.#saveRest()
    this.#saveNow()
  }

  /** Starts the remaining write, if there is a state file. */
  #saveRest(): void {
    const now = this.#now()
    const due = this.#handle.plan.state === undefined ? undefined : this.#handle.poll(now)
    if (due != null) void this.#act(due, now)
  }

  /** Finishes the writes of a closed generator, then releases the state file for others. */
  async endSaving(): Promise<void> {
    // A write may cause another.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (this.#saving === undefined) this.#saveRest()
      if (this.#saving === undefined) break
      await this.#saving
    }
    this.#handle.file('close')
  }

  async #saved(): Promise<void> {
    this.#saving = undefined
    const told = this.#handle.file('finish')
    if (told == null) return
    const { code, message, abandoned } = told
    const verdict = this.#handle.ask('settled', code === undefined, this.#now())
    if (code !== undefined) {
      const said = 'outcome' in verdict && verdict.outcome === 'applied' ? abandoned : undefined
      if (said !== undefined) theHost().warn(said, 'LEAFID_STATE')
      this.#listener.failed(new LeafidError(code, said ?? message ?? code))
    }
    this.#wake()
    if ('release' in verdict) await this.release(verdict.release)
  }

  readonly now = (): number => {
    const now = this.#clock() - this.#leapt
    return Math.abs(now - this.#lookedAt) < LOOK_MS ? now : this.#look(now)
  }

  /**
   * Looks for a leap by comparing the clock with another. A custom clock that leapt is corrected by the monotonic one;
   * after any leap the store is asked, and its answer decides.
   */
  #look(now: number): number {
    if (!this.#handle.isBegun) return now
    const { clock, wall, ticking } = theHost()
    const isOwn = this.#clock !== clock
    const leapt = isOwn ? this.#handle.ask('look', ticking(), now + this.#leapt) : this.#handle.ask('look', now, wall())
    if (isOwn) this.#leapt += leapt
    return (this.#lookedAt = isOwn ? now - leapt : now)
  }

  /** Reads the clock where no caller could receive its error: a clock that fails then stands still. */
  #now(): number {
    try {
      this.#isStill = false
      this.#lastNow = this.now()
    } catch {
      this.#isStill = true
    }
    return this.#lastNow
  }

  /** The rest of the wait, in ms, that the store asked for in its last failure. */
  retryAfter(now: number): number | undefined {
    const wait = this.failure?.retryAfter
    return wait === undefined ? undefined : Math.max(wait - Math.max(now - this.#failedAt, 0), 0)
  }

  get saving(): Promise<void> | undefined {
    return this.#saving
  }

  /** The next answer, if callers may await each other's; `undefined` where each has to check again by itself. */
  get nextAnswer(): Promise<void> | undefined {
    if (!theHost().sharesPromises || (this.flying === 0 && this.#saving === undefined)) return undefined
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** Gives a window back. A failure is not reported: the window ends by itself. */
  async release(release: object): Promise<void> {
    try {
      const answer = ask(this.#chosen.store(), 'release', release, () => late('release'), true)
      if ('later' in answer) await answer.later
    } catch {
      // The window ends by itself.
    }
  }

  end(): void {
    this.ended = true
    this.#cancel?.()
    this.#close?.()
    this.#close = () => {}
  }

  forget(): void {
    this.failure = undefined
  }

  /** Carries an ask to the store and never rejects; a synchronous answer is applied when this returns. */
  #carry(store: Store, verb: Verb, body: { request: string }, sent: number, granted?: () => void): Promise<void> {
    const settle = (act: () => ReleaseAsk | undefined): Promise<void> => {
      let release: ReleaseAsk | undefined
      try {
        release = act()
        if (release === undefined) granted?.()
      } catch (error) {
        this.#fail(error, verb, body.request)
      } finally {
        this.#answered()
      }
      return release === undefined ? Promise.resolve() : this.release(release)
    }
    const take = (answer: unknown) => settle(() => this.#take(answer, verb, body.request, sent))
    const fail = (error: unknown) =>
      settle(() => {
        throw error
      })
    const answer = ask(store, verb, body, () => late(verb), false)
    if ('now' in answer) return take(answer.now)
    if ('failed' in answer) return fail(answer.failed)
    this.flying += 1
    const settled = answer.later.then(take, fail).finally(() => {
      this.flying -= 1
    })
    // An engine that fails again after its rebuild does so for the next caller, too, who gets the error.
    return settled.catch(() => {})
  }

  /** Applies an answer; returns the release to send if the answer came after closing. */
  #take(answer: unknown, verb: Verb, request: string, sent: number): ReleaseAsk | undefined {
    const subject = this.#handle.plan.subject
    // Looks for a leap first: one from before the answer must not count as one after it.
    this.#lookedAt = Number.NEGATIVE_INFINITY
    const now = this.#now()
    const wrong = notAnAnswer(answer, request)
    if (wrong !== undefined) throw unused(verb, subject, wrong)
    const verdict = this.#handle.ask('handleGrant', request, answer as object, sent, now)
    if ('code' in verdict) {
      // The core has counted the failure.
      this.#note(refusedAnswer(verb, subject, verdict, answer as object))
      return undefined
    }
    if (verdict.outcome === 'release') return verdict.release as ReleaseAsk
    if (verdict.outcome === 'applied') this.failure = undefined
    return undefined
  }

  #fail(cause: unknown, verb: Verb, request: string): void {
    const error = failure(verb, this.#handle.plan.subject, cause)
    this.#note(error)
    this.#handle.ask('handleFailure', request, error.code, error.retryAfter, this.#now())
  }

  #note(error: LeafidError): void {
    this.failure = error
    this.#failedAt = this.#now()
    this.#listener.failed(error)
  }

  #answered(): void {
    const code = this.#handle.ask('failing')
    if (code != null && codeFacts(code)?.stops === true) {
      this.end()
      this.#listener.stopped()
    }
    this.#listener.answered()
    this.#wake()
  }

  #wake(): void {
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
    // Permanent failures are asked again only for a caller that wants an ID.
    const hopeless = this.failure !== undefined && codeFacts(this.failure.code)?.permanent === true
    const due = hopeless ? undefined : this.#handle.ask('pollAt')
    if (due == null) return
    // A weak reference, so that the timer does not keep an abandoned generator in memory.
    const self = new WeakRef(this)
    const ms = Math.min(Math.max(Number(due) - this.#now(), 1), LONGEST_MS)
    // The next caller gets the clock's error, and sets the timer once the clock works again.
    if (this.#isStill) return
    this.#cancel = later(ms, () => self.deref()?.wake())
  }

  wake(): void {
    if (this.ask(this.#now()) === undefined) this.#plan()
  }
}

/** The generators of one store, counted by what they draw from, and the warnings given. */
interface Home {
  counts: Map<string, number>
  warned: Set<string>
}

const byAddress = new Map<string, Home>()
const byObject = new WeakMap<object, Home>()

function homeOf(option: Chosen['option']): Home | undefined {
  // Tests use several generators on one memory store to stand for several processes.
  if (realm.memories.has(option as object) || (typeof option === 'string' && option.startsWith('memory:'))) return undefined
  const homes = (typeof option === 'string' ? byAddress : byObject) as Map<unknown, Home>
  const home = homes.get(option) ?? { counts: new Map(), warned: new Set() }
  homes.set(option, home)
  return home
}

/** Registers a generator that starts to draw, and warns of a second one; returns its deregistration. */
function opened({ kind, config, subject }: Plan, option: Chosen['option']): () => void {
  const home = homeOf(option)
  if (home === undefined) return () => {}
  const { counts, warned } = home
  const { owner } = config as { owner?: string }
  const name = JSON.stringify([kind, subject.name, owner])
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  if (count === 2 && !warned.has(name)) {
    warned.add(name)
    const each = kind === 'segment' ? 'a range of its own' : 'a worker number of its own until its window ends'
    const cure = 'make one where the program starts and share it, and close those that are done'
    theHost().warn(`2 generators in this process draw from the ${called(subject)} of one store, and each leases ${each}: ${cure}`, 'LEAFID_MANY_GENERATORS')
  }
  return () => {
    const left = (counts.get(name) ?? 1) - 1
    if (left > 0) counts.set(name, left)
    else counts.delete(name)
  }
}
