import type { Refused } from '../engines/engine.js'
import { theHost } from '../hosts/host.js'
import { codeFacts, LeafidError } from '../values/errors.js'
import { called, refusalError, type Subject } from '../values/refusals.js'
import { sleep } from './deadline.js'
import type { Driver } from './driver.js'
import type { Handle } from './handle.js'

/** A caller's attempt: gives `undefined` if the engine refuses. */
type Attempt<T> = () => T | undefined

/** A caller's outcome: what it wanted, or a function that makes its error. */
type Told<T> = { got: T } | { error: () => unknown }

interface Waiter {
  readonly isDone: boolean
  readonly count: number
  try(): boolean
  fail(error: () => unknown): void
}

class Turn<T> implements Waiter {
  /** The outcome. Never rejects: the caller throws, so that the error has the stack of its call. */
  readonly told: Promise<Told<T>>
  isDone = false
  readonly count: number
  readonly #attempt: Attempt<T>
  #tell!: (told: Told<T>) => void

  constructor(count: number, attempt: Attempt<T>) {
    this.count = count
    this.#attempt = attempt
    this.told = new Promise((resolve) => {
      this.#tell = resolve
    })
  }

  /** Tries unless done; returns whether it is done now. */
  try(): boolean {
    if (this.isDone) return true
    try {
      const got = this.#attempt()
      if (got !== undefined) this.#done({ got })
    } catch (error) {
      this.fail(() => error)
    }
    return this.isDone
  }

  fail(error: () => unknown): void {
    if (!this.isDone) this.#done({ error })
  }

  #done(told: Told<T>): void {
    this.isDone = true
    this.#tell(told)
  }
}

/** Waiting callers, served in order of arrival; only a caller that wants fewer IDs may overtake. */
class Queue {
  /** Whether a loop serves the queue until it is empty. */
  isWatched = false
  readonly #turns = new Set<Waiter>()
  #isServing = false

  /** Serves the callers in order until one gets nothing; returns that one, now the first. */
  serve(): Waiter | undefined {
    for (const turn of this.#turns) {
      // A store in the same process may answer within an attempt, and call this again.
      if (this.#isServing) return turn
      this.#isServing = true
      try {
        if (!turn.try()) return turn
      } finally {
        this.#isServing = false
      }
      this.#turns.delete(turn)
    }
    return undefined
  }

  join(turn: Waiter): void {
    this.#turns.add(turn)
  }

  leave(turn: Waiter): void {
    this.#turns.delete(turn)
  }
}

/** The first and the longest pause before a waiting caller tries again, in ms. */
const FIRST_PAUSE_MS = 1
const LAST_PAUSE_MS = 25

/** Handles callers for whom no ID is at hand: the core decides whether they raise or wait (`Stance`). */
export class Waiting {
  #handle!: Handle
  #driver!: Driver
  readonly #subject: Subject
  readonly #timeout: number
  readonly #dry: string
  readonly #queue = new Queue()
  /** Set: every later attempt is `CLOSED`. */
  isClosed = false

  constructor(subject: Subject, timeout: number, dry: string) {
    this.#subject = subject
    this.#timeout = timeout
    this.#dry = dry
  }

  /** Lets all callers, also those who wait already, draw by these. */
  drawBy(handle: Handle, driver: Driver): void {
    this.#handle = handle
    this.#driver = driver
  }

  /** The result of `attempt` at once; throws why there is none. */
  now<T>(attempt: Attempt<T>): T {
    let got = this.#begun(attempt)
    // Tries twice: a grant that comes at once may first have to be written to the state file.
    for (let tries = 0; got === undefined && tries < 2; tries++) {
      this.#raise(this.#refused())
      if (this.#driver.askNow(this.#driver.now())) got = attempt()
    }
    if (got !== undefined) return got
    this.#raise(this.#refused())
    throw this.#notNow(this.#refused())
  }

  serve(): void {
    this.#queue.serve()
  }

  /**
   * The result of `attempt` (`count` IDs) within the time-out, whose error contains `lacking`, as in
   * "gave no ID". A signal ends the wait with its reason.
   */
  async wait<T>(count: number, attempt: Attempt<T>, lacking: string, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted === true) throw reasonOf(signal)
    // Earlier callers come first. If enough is left for this one, it is less than the first of them wants.
    this.#queue.serve()
    const got = this.#begun(attempt)
    if (got !== undefined) return got
    const turn = new Turn(count, attempt)
    // In Workers no request may serve another: each polls for itself.
    const queue = theHost().sharesPromises ? this.#queue : new Queue()
    const stop = () => turn.fail(() => (signal?.aborted === true ? reasonOf(signal) : this.#timedOut(lacking)))
    const timer = setTimeout(stop, this.#timeout)
    const forget = signal === undefined ? undefined : onAbort(signal, stop)
    try {
      queue.join(turn)
      if (!queue.isWatched) void this.#watch(queue)
      const told = await turn.told
      if ('got' in told) return told.got
      throw told.error()
    } finally {
      queue.leave(turn)
      clearTimeout(timer)
      forget?.()
    }
  }

  /** Serves a queue, and asks for more, until the queue is empty. Never rejects. */
  async #watch(queue: Queue): Promise<void> {
    queue.isWatched = true
    let pause = FIRST_PAUSE_MS
    for (let first = queue.serve(); first !== undefined; first = queue.serve()) {
      try {
        const now = this.#driver.now()
        // Waiting callers get the new lease before others can take it all.
        const ask = () => this.#driver.ask(now, () => queue.serve())
        // Before the first ask, a single ID can be refused for no other reason: so ask at once.
        let asked = this.#driver.hasAsked || first.count > 1 || this.isClosed ? undefined : ask()
        let stance: { until?: number } = {}
        if (asked === undefined) {
          const found = this.#stance(this.#refused())
          if ('raise' in found) {
            first.fail(() => this.#error(found.raise))
            continue
          }
          stance = found
          asked = ask()
        }
        if (first.isDone) continue
        const until = stance.until === undefined ? pause : Math.min(Math.max(stance.until - now, 1), pause)
        await sleep(until, this.#driver.saving ?? asked ?? this.#driver.nextAnswer)
        pause = first.isDone ? FIRST_PAUSE_MS : Math.min(pause * 1.5, LAST_PAUSE_MS)
      } catch (error) {
        first.fail(() => error)
      }
    }
    queue.isWatched = false
  }

  /** The first attempt. At a Worker's module scope there is no randomness, so nothing may be asked for. */
  #begun<T>(attempt: Attempt<T>): T | undefined {
    if (this.isClosed) throw this.#error({ code: 'CLOSED' })
    if (this.#handle.isBegun) return attempt()
    try {
      this.#handle.ask('wants', 0)
    } catch (cause) {
      if (cause instanceof LeafidError) throw cause
      const message = `${called(this.#subject)} cannot start here: draw IDs inside a request, not at module scope`
      throw new LeafidError(this.#dry, message, { cause })
    }
    return attempt()
  }

  #refused(): Refused {
    if (this.isClosed) return { code: 'CLOSED' }
    const { ended, failure } = this.#driver
    // A rebuilt engine has forgotten that the generator was stopped.
    if (ended && failure !== undefined) return { code: failure.code }
    return this.#handle.ask('refusal')
  }

  #stance(refused: Refused): { raise: Refused } | { until?: number } {
    const stance = this.#handle.stance(refused, this.#driver.now())
    if (stance.code !== undefined) return { raise: stance.code === refused.code ? refused : { code: stance.code } }
    return stance.until == null ? {} : { until: Number(stance.until) }
  }

  #raise(refused: Refused): void {
    const stance = this.#stance(refused)
    if ('raise' in stance) throw this.#error(stance.raise)
  }

  /**
   * The error of a caller that cannot wait. A permanent failure stays the answer while the store is asked again, since
   * each call starts an ask; for anything else the message says how to wait, and why no ID was at hand.
   */
  #notNow(refused: Refused): LeafidError {
    const { failure } = this.#driver
    if (refused.code !== this.#dry) return this.#error(refused)
    if (failure !== undefined && codeFacts(failure.code)?.permanent === true) return this.#error({ code: failure.code })
    const { message, until, retryAfter, cause } = this.#error(refused)
    const last = failure === undefined ? '' : `; the last lease failed (${failure.code}): ${failure.message}`
    return new LeafidError(refused.code, `${message}, with \`await ready(n)\`${last}`, { until, retryAfter, cause })
  }

  /** Makes an error with its own stack, and the store's words if the store gave the reason. */
  #error(refused: Refused): LeafidError {
    const { failure } = this.#driver
    if (failure?.code === refused.code) {
      const { message, until, cause } = failure
      const retryAfter = this.#driver.retryAfter(this.#driver.now())
      return new LeafidError(refused.code, message, { until, retryAfter, cause: cause ?? failure })
    }
    const retryAfter = refused.until === undefined ? undefined : Math.max(Number(refused.until) - this.#driver.now(), 0)
    const most = refused.code === 'COUNT_INVALID' ? this.#handle.ask('most') : undefined
    return refusalError(this.#subject, refused, { most, retryAfter, cause: failure })
  }

  #timedOut(lacking: string): LeafidError {
    const refused = this.#refused()
    // A caller that waits for the clock gets that reason, not the store's failure.
    const failure = refused.until === undefined ? this.#driver.failure : undefined
    const cause = failure ?? this.#error(refused)
    const retryAfter = failure === undefined ? cause.retryAfter : this.#driver.retryAfter(this.#driver.now())
    const seconds = Math.ceil((retryAfter ?? 0) / 1000)
    const free = cause.code === 'WORKERS_EXHAUSTED' && seconds > 0 ? `, free again in ${seconds} s` : ''
    const message = `${called(this.#subject)} ${lacking} within ${this.#timeout} ms (${cause.code}${free}): ${cause.message}`
    return new LeafidError('TIMED_OUT', message, { until: cause.until, retryAfter, cause })
  }
}

/** The waiting calls of each signal. One listener serves all: Node warns of a leak from the eleventh on. */
const waiting = new WeakMap<AbortSignal, Ended>()

interface Ended {
  readonly stops: Set<() => void>
  readonly hear: () => void
}

/** Calls `stop` when the signal is aborted; returns the function that undoes this. */
function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const { stops, hear } = waiting.get(signal) ?? listening(signal)
  stops.add(stop)
  return () => {
    stops.delete(stop)
    if (stops.size > 0) return
    signal.removeEventListener('abort', hear)
    waiting.delete(signal)
  }
}

/** The reason of an aborted signal. */
function reasonOf(signal: AbortSignal): unknown {
  // Signals of older libraries have no reason.
  return signal.reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : signal.reason
}

function listening(signal: AbortSignal): Ended {
  const stops = new Set<() => void>()
  const hear = () => {
    for (const stop of stops) stop()
  }
  signal.addEventListener('abort', hear)
  const ended = { stops, hear }
  waiting.set(signal, ended)
  return ended
}
