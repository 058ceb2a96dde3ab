import { randomToken } from '../hosts/host.js'
import { call, type Big, type Store, type Verb, type WindowGrant } from '../stores/store.js'
import { LAYOUT_FIELDS } from '../values/layout.js'
import { quoted, shown } from '../values/shown.js'

/** A store that answers later than this has not answered, in ms. */
const ANSWER_MS = 10_000
/** How long the windows are that are asked for: the shortest that there are. */
const WINDOW_MS = 1_000
/** So far the clocks of a store's servers may be apart, in ms. */
const APART_MS = 1_000
/** How many numbers are taken at most. */
const MOST_NUMBERS = 16
/** How often it is waited for a number, or asked again where a store has too much to do. */
const TRIES = 10
const TOKEN = /^[0-9a-f]{32}$/

/** A literal, a name after `$`, or an operator with two of these; or an object of them. */
type Value = unknown

/** One of the steps that `#step` knows. */
interface Step {
  let?: string
  be?: Value
  that?: Value
  else?: string
  if?: Value
  repeat?: number
  at_once?: number
  steps?: readonly Step[]
  as?: string
  pass?: Value
  fill?: Value
  free?: true
  back?: number
  check?: string
  lease?: Value
  acquire?: Value
  renew?: Value
  release?: Value
  with?: Value
  of?: 'again'
  refused?: string
  or?: string
  granted?: string
  goes_on?: true
}

/** A check, the methods that a store must have for it, and what is done. */
export interface Check {
  name: string
  needs: readonly string[]
  steps: readonly Step[]
}

/** The store failed a check. */
export class Finding extends Error {}
/** The check cannot be done on this store. */
export class Skip extends Error {}

function must(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Finding(what)
}

/** The store's clock, as far as a check moves it. */
export interface Time {
  pass(ms: number): Promise<void>
  /** Sets the clock back; only where it can be set. */
  back?(ms: number): void
}

/** A granted range. */
interface Had {
  start: bigint
  end: bigint
  holder: string
}

type Env = Record<string, unknown>
type Grant = WindowGrant & { start: bigint; end: bigint; key: string }

const OPERATORS: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  '==': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '+': (a: bigint, b: bigint) => a + b,
  '-': (a: bigint, b: bigint) => a - b,
  '*': (a: bigint, b: bigint) => a * b,
  '<<': (a: bigint, b: bigint) => a << b,
  min: (a: bigint, b: bigint) => (a < b ? a : b),
  max: (a: bigint, b: bigint) => (a > b ? a : b),
}

/** Plays checks on a store, and notes what it granted: nothing may be granted to two. */
export class Player {
  readonly #store: Store
  readonly #names: { tag: string; namespace: string }
  readonly #time: Time
  readonly #had = new Map<string, Had[]>()
  #held: Grant[] = []
  #latest = Number.NEGATIVE_INFINITY
  #backwards = ''

  constructor(store: Store, names: { tag: string; namespace: string }, time: Time) {
    this.#store = store
    this.#names = names
    this.#time = time
  }

  can({ needs }: Check): boolean {
    return needs.every((verb) => typeof this.#store[verb as Verb] === 'function')
  }

  async play({ steps }: Check, all: readonly Check[]): Promise<void> {
    await this.#steps(steps, { ...this.#names, owner: `conform/${randomToken().slice(0, 8)}` }, all)
  }

  /** Gives back what the check had, so that the next one finds free numbers. */
  async free(): Promise<void> {
    // A check may have given it back already, or let it expire.
    for (const window of this.#held) await this.#release(window, {}).catch(() => {})
    this.#held = []
  }

  /** Whether all steps were played: a refusal that a step allows by `or` ends them. */
  async #steps(steps: readonly Step[], env: Env, all: readonly Check[]): Promise<boolean> {
    for (const step of steps) if (!(await this.#step(step, env, all))) return false
    return true
  }

  async #step(step: Step, env: Env, all: readonly Check[]): Promise<boolean> {
    const value = (said: Value | undefined) => this.#value(said, env)
    if (step.let !== undefined) env[step.let] = value(step.be)
    else if (step.that !== undefined) {
      const [, one, other] = step.that as readonly Value[]
      must(value(step.that) === true, `${step.else}, got ${shown(value(one))} and ${shown(value(other))}`)
    } else if (step.if !== undefined) return value(step.if) !== true || this.#steps(step.steps!, env, all)
    else if (step.repeat !== undefined) {
      for (let turn = 0; turn < step.repeat; turn++) if (!(await this.#steps(step.steps!, env, all))) return false
    } else if (step.at_once !== undefined) {
      const played = await Promise.allSettled(Array.from({ length: step.at_once }, () => this.#steps(step.steps!, { ...env }, all)))
      for (const one of played) if (one.status === 'rejected') throw one.reason
      env[step.as ?? ''] = BigInt(played.filter((one) => one.status === 'fulfilled' && one.value).length)
    } else if (step.pass !== undefined) await this.#time.pass(Number(value(step.pass)))
    else if (step.fill !== undefined) env[step.as!] = await this.#fill(value(step.fill) as object)
    else if (step.free !== undefined) await this.free()
    else if (step.back !== undefined) this.#time.back?.(step.back)
    else if (step.check !== undefined) {
      const check = all.find(({ name }) => name === step.check)!
      if (this.#time.back !== undefined && this.can(check)) await this.play(check, all)
    } else return this.#asked(step, env)
    return true
  }

  async #asked(step: Step, env: Env): Promise<boolean> {
    // JavaScript's `conform` has no second object for the same store.
    if (step.of !== undefined) throw new Skip('another process would have to ask')
    const { or: mayBe, refused: mustBe } = step
    const said = (of: Value | undefined) => this.#value(of ?? {}, env) as object
    let answer: object
    try {
      if (step.lease !== undefined) answer = await this.#lease(said(step.lease))
      else if (step.acquire !== undefined) answer = await this.#acquire(said(step.acquire), mayBe === undefined && mustBe === undefined)
      else if (step.renew !== undefined) answer = await this.#renew(said(step.renew) as Grant, said(step.with))
      else answer = await this.#release(said(step.release) as Grant, said(step.with))
    } catch (error) {
      const got = codeOf(error)
      if (got !== undefined && (got === mustBe || got === mayBe)) return got === mustBe || step.goes_on === true
      must(mustBe === undefined || error instanceof Finding, `it must be refused with \`code\` \`${mustBe}\`, got ${shown(error)}`)
      throw error
    }
    if (mustBe !== undefined && step.granted !== undefined) throw new Skip(step.granted)
    must(mustBe === undefined, `it must be refused with ${mustBe}, and gave ${shown(answer)}`)
    env[step.as ?? ''] = answer
    return true
  }

  /** Evaluates an expression. Whole numbers become bigints, so none loses a digit. */
  #value(said: unknown, env: Env): unknown {
    if (said === '$fresh') return randomToken()
    if (said === '$unknown') return `conform.${randomToken().slice(0, 8)}`
    if (said === '$backwards') return this.#backwards
    if (typeof said === 'number') return BigInt(said)
    if (typeof said === 'string' && said.startsWith('$')) {
      const found = said.slice(1).split('.').reduce<unknown>((of, name) => (of as Env | undefined)?.[name], env)
      must(found !== undefined, `an answer must have ${quoted(said.replace(/^.*\./, ''))}`)
      return typeof found === 'number' ? whole(said, found) : found
    }
    if (Array.isArray(said)) return OPERATORS[said[0] as string]!(this.#value(said[1], env) as never, this.#value(said[2], env) as never)
    if (typeof said !== 'object' || said === null) return said
    return Object.fromEntries(Object.entries(said).map(([field, value]) => [field, this.#value(value, env)]))
  }

  #lease(more: object): Promise<Grant> {
    const ask = { tag: this.#names.tag, request: randomToken(), ...more }
    return this.#granting('lease_segment', ask, () => `tag ${ask.tag}`, ask.request)
  }

  /** A window; where all numbers are in use, one that is waited for. */
  async #acquire(more: object, waits: boolean): Promise<Grant> {
    const { namespace } = this.#names
    for (let tries = 1; ; tries++) {
      const owner = `conform/${randomToken().slice(0, 8)}`
      const ask = { namespace, request: randomToken(), owner, sticky: false, strict: false, length_ms: WINDOW_MS, ...more }
      try {
        const window = await this.#granting('acquire', ask, (grant) => lineOf(grant, ask.namespace), ask.request)
        this.#held.push(window)
        return window
      } catch (error) {
        if (codeOf(error) !== 'WORKERS_EXHAUSTED' || !waits || tries === TRIES) throw error
        await this.#time.pass(WINDOW_MS / 2)
      }
    }
  }

  async #renew(window: Grant, more: object): Promise<Grant> {
    const ask = { ...this.#of(window), request: randomToken(), have_until: window.end, length_ms: WINDOW_MS, ...more }
    const grant = await this.#granting('renew', ask, (grant) => lineOf(grant, ask.namespace), ask.key)
    must(grant.worker === window.worker, `a renewal must be of the same number, ${window.worker}, got ${shown(grant.worker)}`)
    must(grant.start === ask.have_until, `a renewal must begin at \`have_until\`, ${ask.have_until}, got ${grant.start}`)
    return grant
  }

  async #release(window: Grant, more: object): Promise<object> {
    const ask = { ...this.#of(window), unused_from: window.start, ...more }
    await this.#answer('release', ask)
    if (ask.key !== window.key) return {}
    const line = lineOf(window, ask.namespace)
    const all = this.#had.get(line) ?? []
    const kept = all.map((had) => (had.holder === ask.key && had.end > ask.unused_from ? { ...had, end: ask.unused_from } : had))
    this.#had.set(line, kept.filter(({ start, end }) => start < end))
    return {}
  }

  #of({ store, worker, key }: Grant) {
    return { namespace: this.#names.namespace, store, worker, key }
  }

  /** Takes every number; when the first is free then, in ms. */
  async #fill(ask: object): Promise<bigint> {
    for (let taken = 0; taken <= MOST_NUMBERS; taken++) {
      try {
        await this.#acquire(ask, false)
      } catch (error) {
        if (codeOf(error) !== 'WORKERS_EXHAUSTED') throw error
        const { until, retryAfter } = error as { until?: number; retryAfter?: number }
        return BigInt(Math.ceil(retryAfter ?? until ?? 0))
      }
    }
    throw new Skip(`the namespace has more than ${MOST_NUMBERS} numbers: give \`conform\` one of 2 to ${MOST_NUMBERS}`)
  }

  /** Asks, and looks at what every answer has. What the same holder had before may come again. */
  async #granting(verb: Verb, given: object, line: (grant: Grant) => string, key: string): Promise<Grant> {
    const before = this.#latest
    const answer = await this.#answer(verb, given)
    must(typeof answer === 'object' && answer !== null, `\`${verb}\` must answer an object, got ${shown(answer)}`)
    const { request, store, now_ms, layout } = answer as Partial<WindowGrant>
    const sent = (given as { request: string }).request
    must(request === sent, `the answer to \`${verb}\` must echo the request id \`${sent}\`, got ${shown(request)}`)
    must(TOKEN.test(String(store)), `\`store\` of an answer must be 32 lower-case hex digits, got ${shown(store)}`)
    must(Number.isSafeInteger(now_ms), `\`now_ms\` of an answer must be a whole number of ms, got ${shown(now_ms)}`)
    for (const field of verb === 'acquire' ? LAYOUT_FIELDS : []) must(Number.isSafeInteger(layout?.[field]), `\`layout\` must have its five fields, got ${shown(layout)}`)
    if (now_ms! < before - APART_MS) this.#backwards = `\`now_ms\` went back from ${before} to ${now_ms}`
    this.#latest = Math.max(this.#latest, now_ms!)
    const { start, end } = answer as { start: unknown; end: unknown }
    const grant = { ...(answer as WindowGrant), start: exact('start', start), end: exact('end', end), key }
    this.#note(line(grant), { start: grant.start, end: grant.end, holder: key })
    return grant
  }

  #note(line: string, range: Had): void {
    must(range.end <= 2n ** 63n - 1n, `no end may lie above 2^63 - 1, got ${range.end}`)
    const all = this.#had.get(line) ?? []
    const twice = all.find((had) => had.holder !== range.holder && had.start < range.end && range.start < had.end)
    must(twice === undefined, `${quoted(line)} was granted twice: in ${twice?.start} up to ${twice?.end} and in ${range.start} up to ${range.end}`)
    this.#had.set(line, [...all, range])
  }

  /** Asks again where a store says that it has too much to do: that is no mistake. */
  async #answer(verb: Verb, given: object): Promise<unknown> {
    // Numbers of 64 bits are bigints in an ask, the others are not.
    const ask = Object.fromEntries(Object.entries(given).map(([field, value]) => [field, EXACT.has(field) ? value : plain(value)]))
    for (let tries = 1; ; tries++) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Finding(`\`${verb}\` was not answered within ${ANSWER_MS} ms`)), ANSWER_MS)
      })
      try {
        return await Promise.race([Promise.resolve(call(this.#store, verb, ask, undefined)), late])
      } catch (error) {
        if (codeOf(error) !== 'OVERLOADED' || tries === TRIES) throw error
      } finally {
        clearTimeout(timer)
      }
    }
  }
}

const EXACT = new Set(['have_until', 'unused_from'])

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, value]) => [field, plain(value)]))
}

const lineOf = ({ worker }: Grant, namespace: string) => `worker ${worker} of ${namespace}`

function codeOf(error: unknown): string | undefined {
  return error instanceof Finding ? undefined : ((error as { code?: string } | null)?.code ?? undefined)
}

function whole(name: string, value: number): bigint {
  must(Number.isSafeInteger(value), `${quoted(name.replace(/^.*\./, ''))} must be a whole number, got ${shown(value)}`)
  return BigInt(value)
}

/** A 64-bit number of an answer, as it must be: a plain number may have lost its last digits. */
function exact(field: string, value: unknown): bigint {
  const isExact = typeof value === 'bigint' || (typeof value === 'string' && /^\d{1,19}$/.test(value))
  must(isExact, `\`${field}\` must be a bigint or a decimal string, got ${shown(value)}`)
  return BigInt(value as Big)
}
