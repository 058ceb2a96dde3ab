import { ASK_IS_DUE, theEngine, type Carryover, type CodeFacts, type RawStats, type Refused, type Stance, type Verdict } from './engines/engine.js'
import { memoryStore, type MemoryStore } from './memory.js'
import { useMemory } from './stores/chosen.js'
import { realm } from './stores/realm.js'
import type { Store } from './stores/store.js'
import { accepted, subject } from './values/refusals.js'

useMemory(memoryStore)

export { ConformError, conform } from './conform/conform.js'
export type { ConformOptions, Conformed } from './conform/conform.js'

/** A test that has begun. */
export interface Isolated {
  /** The store that all generators draw from: it creates tags and namespaces on first use, and numbers begin at 1. */
  readonly store: MemoryStore
  /** Ends the test: generators draw from what they drew from before it, their own stores or another test's. */
  restore(): void
}

/**
 * Lets every generator of this process, made before or later, draw from a new store in memory, whatever store it names:
 * no real store is asked, and state files are left alone. What they hold is given back, now and at the end. Those on a
 * `memoryStore()` of their own keep it. The next call begins the next test.
 */
export function isolated(): Isolated {
  const [before, store] = [realm.test, memoryStore()]
  replaceAll(store)
  return { store, restore: () => (realm.test === store ? replaceAll(before) : undefined) }
}

function replaceAll(test: Store | undefined): void {
  realm.test = test
  for (const again of realm.generators) again.deref()?.()
}

/** A time on the host's clock, in ms. */
export type At = number | bigint | string

/**
 * A generator without a host: time, randomness and answers are passed in. A refusal of the core is returned as
 * `{ code, until }`, not thrown.
 */
export class Generator {
  readonly #handle: number
  static #last = 0x4000_0000

  /** Throws what is wrong with the configuration. */
  constructor(kind: 'segment' | 'snowflake', config: object, seed: bigint) {
    this.#handle = Generator.#last++
    accepted(subject('other', `the ${kind}`), theEngine().create(this.#handle, kind, config, seed) ?? undefined)
  }

  /** One ID. */
  next(at: At): bigint | Refused {
    const ids = this.fillAvailable(at, 1)
    return Array.isArray(ids) ? ids[0]! : ids
  }

  /** `n` IDs, or none. */
  fill(at: At, n: number): bigint[] | Refused {
    return this.#filled(n, (out) => theEngine().fill(this.#handle, Number(at), out))
  }

  /** As many as are at hand, up to `n`. */
  fillAvailable(at: At, n: number): bigint[] | Refused {
    return this.#filled(n, (out) => theEngine().fillAvailable(this.#handle, Number(at), out))
  }

  /** Whether `n` IDs can be had at once. */
  ready(at: At, n: number): true | Refused {
    return theEngine().ready(this.#handle, Number(at), n) || theEngine().refusal(this.#handle)
  }

  wantsAsk(at: At): boolean {
    return theEngine().wants(this.#handle, Number(at))
  }

  pollAt(): bigint | undefined {
    return theEngine().pollAt(this.#handle) ?? undefined
  }

  /** What to ask the store for now; `entropy` is 16 bytes. */
  pollAsk(at: At, entropy: Uint8Array): Record<string, unknown> | undefined {
    return (theEngine().poll(this.#handle, Number(at), entropy) ?? undefined) as Record<string, unknown> | undefined
  }

  grant(at: At, sent: At, grant: { request: string }): Verdict {
    return theEngine().handleGrant(this.#handle, grant.request, grant, Number(sent), Number(at))
  }

  failure(at: At, request: string, code: string, retryAfterMs?: number): void {
    theEngine().handleFailure(this.#handle, request, code, retryAfterMs, Number(at))
  }

  retire(): object | undefined {
    return theEngine().retire(this.#handle) ?? undefined
  }

  forget(): void {
    theEngine().forget(this.#handle)
  }

  resumed(): void {
    theEngine().resumed(this.#handle)
  }

  /** How many ms the wall clock leapt since the last look. */
  look(at: At, wall: At): number {
    return theEngine().look(this.#handle, Number(at), Number(wall))
  }

  /** The facts for another instance of this generator. */
  carryover(): Carryover {
    return theEngine().carryover(this.#handle)
  }

  /**
   * Takes over another instance's facts, and goes on above the highest ID that it handed out in this layout. Throws if
   * it cannot: after the first grant, or for an invalid ID.
   */
  resume(before: Carryover, highest?: bigint, layout?: object): void {
    accepted(subject('other', 'the generator'), theEngine().resume(this.#handle, before, highest, layout) ?? undefined)
  }

  /** What a caller with this refusal should do: raise, or wait. */
  stance(at: At, code: string, until?: At): Stance {
    return theEngine().stance(this.#handle, code, until === undefined ? undefined : Number(until), Number(at))
  }

  failing(): string | undefined {
    return theEngine().failing(this.#handle) ?? undefined
  }

  stats(): RawStats {
    return theEngine().stats(this.#handle)
  }

  #filled(n: number, fill: (out: BigUint64Array) => number): bigint[] | Refused {
    const out = new BigUint64Array(n)
    const count = fill(out) & ~ASK_IS_DUE
    if (count > 0 || n === 0) return Array.from(out.subarray(0, count))
    if (out.some((id) => id !== 0n)) throw new Error('a refused filling wrote something')
    return theEngine().refusal(this.#handle)
  }
}

/** Every code of the error table. */
export function codes(): string[] {
  return theEngine().codes()
}

/** The code for an HTTP answer without one. */
export function codeFromHttp(status: number): string {
  return theEngine().codeFromHttp(status)
}

/** A code's row of the error table. */
export function codeFacts(code: string): CodeFacts | undefined {
  return theEngine().codeFacts(code) ?? undefined
}

/** The message of a refusal about the `tag` or `namespace` `name`; of any other kind, `name` begins the sentence. */
export function sentence(code: string, kind: string, name: string, most?: number, waitMs?: number): string {
  return theEngine().sentence(code, kind, name, most, waitMs)
}
