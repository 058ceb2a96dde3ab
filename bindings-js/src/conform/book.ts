import { randomToken } from '../hosts/host.js'
import type { Big, Store, Verb, WindowGrant } from '../stores/store.js'
import { call } from '../stores/store.js'
import { quoted, shown } from '../values/shown.js'

/** A store that answers later than this has not answered, in ms. */
const ANSWER_MS = 10_000
const TOKEN = /^[0-9a-f]{32}$/

export class Finding extends Error {}

export function must(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Finding(what)
}

/** A range that somebody has. */
interface Had {
  start: bigint
  end: bigint
  holder: string
}

/** A store's time: real, or as a script sets it. */
export interface Time {
  /** Lets some ms pass. */
  pass(ms: number): Promise<void>
}

/** Asks a store, and notes what it granted: nothing may be granted to two. */
export class Book {
  readonly #store: Store
  readonly #had = new Map<string, Had[]>()
  #latest = Number.NEGATIVE_INFINITY
  /** What its time did that no time does. */
  backwards: string | undefined

  constructor(store: Store) {
    this.#store = store
  }

  has(verb: Verb): boolean {
    return typeof this.#store[verb] === 'function'
  }

  /** Asks, and looks at what every answer has. */
  async ask<T extends object>(verb: Verb, ask: object): Promise<T> {
    const before = this.#latest
    const answer = await this.#answer(verb, ask)
    must(typeof answer === 'object' && answer !== null, `\`${verb}\` must answer an object, got ${shown(answer)}`)
    if (verb === 'release') return answer as T
    const { request, store, now_ms } = answer as Partial<WindowGrant>
    const sent = (ask as { request: string }).request
    must(request === sent, `the answer to \`${verb}\` must echo the request id \`${sent}\`, got ${shown(request)}`)
    must(TOKEN.test(String(store)), `\`store\` of an answer must be 32 lower-case hex digits, got ${shown(store)}`)
    must(Number.isSafeInteger(now_ms), `\`now_ms\` of an answer must be a whole number of ms, got ${shown(now_ms)}`)
    if (now_ms! < before) this.backwards ??= `\`now_ms\` went back from ${before} to ${now_ms}`
    this.#latest = Math.max(this.#latest, now_ms!)
    return answer as T
  }

  /** What an ask is refused with, which must be this code. */
  async refused(verb: Verb, ask: object, code: string): Promise<{ until?: unknown; retryAfter?: unknown }> {
    let answer: object
    try {
      answer = await this.ask(verb, ask)
    } catch (error) {
      if (error instanceof Finding) throw error
      const got = (error as { code?: unknown } | null)?.code
      must(got === code, `\`${verb}\` of ${shown(ask)} must be refused with \`code\` \`${code}\`, got ${shown(error)}`)
      return error as object
    }
    throw new Finding(`\`${verb}\` of ${shown(ask)} must be refused with ${code}, and gave ${shown(answer)}`)
  }

  /** Notes a range of a line. What the same holder had before may come again. */
  grant(line: string, { start, end }: { start: Big; end: Big }, holder: string): Had {
    const range = { start: exact('start', start), end: exact('end', end), holder }
    must(range.end <= 2n ** 63n - 1n, `no end may lie above 2^63 - 1, got ${range.end}`)
    const all = this.#had.get(line) ?? []
    const twice = all.find((had) => had.holder !== holder && had.start < range.end && range.start < had.end)
    if (twice !== undefined) {
      const [from, to] = [twice.start > range.start ? twice.start : range.start, (twice.end < range.end ? twice.end : range.end) - 1n]
      throw new Finding(`${from} to ${to} of ${quoted(line)} were granted twice: in ${twice.start} up to ${twice.end} and in ${range.start} up to ${range.end}`)
    }
    this.#had.set(line, [...all, range])
    return range
  }

  /** A holder gives back what it has of a line from a position on. */
  giveBack(line: string, holder: string, from: bigint): void {
    const all = this.#had.get(line) ?? []
    const kept = all.map((had) => (had.holder === holder && had.end > from ? { ...had, end: from } : had))
    this.#had.set(line, kept.filter(({ start, end }) => start < end))
  }

  async #answer(verb: Verb, ask: object): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Finding(`\`${verb}\` was not answered within ${ANSWER_MS} ms`)), ANSWER_MS)
    })
    try {
      return await Promise.race([Promise.resolve(call(this.#store, verb, ask, undefined)), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A 64-bit number of an answer, as it must be: a plain number may have lost its last digits. */
export function exact(field: string, value: unknown): bigint {
  const isExact = typeof value === 'bigint' || (typeof value === 'string' && /^\d{1,19}$/.test(value))
  must(isExact, `\`${field}\` must be a bigint or a decimal string, got ${shown(value)}`)
  return BigInt(value as Big)
}

/** A request id that was never used. */
export const fresh = randomToken
