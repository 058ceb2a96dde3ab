import { randomToken } from '../hosts/host.js'
import { call, type Big, type Store, type Verb } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { shown } from '../values/shown.js'
import { DATA } from './data.js'

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
 * `REQUEST_INVALID` for unknown options, and for a store without `leaseSegment` and `acquire`.
 */
export async function conform(store: Store, options: ConformOptions = {}): Promise<Conformed> {
  checkOptions(options, { names: ['tag', 'namespace', 'setClock', 'again'] })
  const player = new Player(store, options)
  const has = (need: string) => (need === 'clock' || need === 'again' ? { clock: options.setClock, again: options.again }[need] !== undefined : typeof store[need as Verb] === 'function')
  const chosen = cases.filter(({ needs }) => needs.every(has))
  if (chosen.length === 0) throw new LeafidError('REQUEST_INVALID', `a store has \`leaseSegment\`, or \`acquire\`, \`renew\` and \`release\`, got ${shown(store)}`)
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

/** Lets time pass; a negative span needs a clock that can be set. */
type Pass = (ms: number) => Promise<void>

const wait: Pass = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function scripted(setClock: (ms: number) => void): Pass {
  let now = START
  setClock(now)
  return (ms) => Promise.resolve(setClock((now += ms)))
}

type Row = Record<string, unknown>
/** An expression that must hold, and the message where it does not. */
type Condition = { that: string; else: string }
type Steps = { steps: readonly Step[] }
type Ask = Partial<Record<Verb, Row>> & { of?: string; as?: string; again?: true; refused?: string; or?: string; granted?: string }
type Step = Condition | { pass: unknown } | ({ repeat: number } & Steps) | ({ atOnce: number } & Steps) | Ask

/** A case: what it needs (methods of the store, `clock`, `again`), and its steps. */
interface Case extends Steps {
  name: string
  needs: readonly string[]
}
type Played = { cases: readonly Case[]; asks: Record<Verb, Row>; answers: Record<Verb, readonly Condition[]> }

/** The cases, each verb's default ask, and what every answer to a verb must contain: names as JavaScript spells them. */
const { cases, asks, answers } = JSON.parse(JSON.stringify(DATA).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())) as Played

/** The time-out of an answer, in ms. */
const ANSWER_MS = 10_000
/** How far apart the clocks of a store's servers may be, in ms. */
const APART_MS = 1_000n
/** How often to wait for a worker number, or to ask an overloaded store again. */
const TRIES = 10
const TOKEN = /^[0-9a-f]{32}$/
/** Fields of 64 bits: bigints in an ask, where all other numbers are plain. */
const EXACT = new Set(['haveUntil', 'unusedFrom'])

/** The store failed a case. */
class Finding extends Error {}
/** The case cannot be played on this store. */
class Skip extends Error {}

type Env = Readonly<Row>
type Granted = { start: bigint; end: bigint; of: unknown }

const OPERATORS: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  '==': (a, b) => a === b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '+': (a: bigint, b: bigint) => a + b,
  '-': (a: bigint, b: bigint) => a - b,
  '*': (a: bigint, b: bigint) => a * b,
  '<<': (a: bigint, b: bigint) => a << b,
}

/** Plays cases on a store and records its grants: nothing may be granted twice. */
class Player {
  readonly #store: Store
  readonly #again: (() => Store) | undefined
  readonly #names: Env
  readonly #pass: Pass
  readonly #granted = new Map<string, Granted[]>()
  #held: Row[] = []
  #latest = 0n

  constructor(store: Store, { tag = 'conform', namespace = 'conform', setClock, again }: ConformOptions) {
    this.#store = store
    this.#again = again
    this.#names = { tag, namespace }
    this.#pass = setClock === undefined ? wait : scripted(setClock)
  }

  async play({ steps }: Steps): Promise<void> {
    try {
      await this.#steps(steps, { ...this.#names, key: randomToken(), owner: `conform-${randomToken()}` })
    } finally {
      // The case may have released the window already, or let it expire.
      for (const w of this.#held) await this.#ask({ release: {}, of: 'w' }, { ...this.#names, w }).catch(() => {})
      this.#held = []
    }
  }

  async #steps(steps: readonly Step[], env: Row): Promise<void> {
    for (const step of steps) {
      if ('that' in step) this.#must(step, env)
      else if ('pass' in step) await this.#pass(Number(this.#value(step.pass, env)))
      else if ('repeat' in step) for (let turn = 0; turn < step.repeat; turn++) await this.#steps(step.steps, env)
      else if ('atOnce' in step) {
        const played = await Promise.allSettled(Array.from({ length: step.atOnce }, () => this.#steps(step.steps, { ...env })))
        for (const one of played) if (one.status === 'rejected') throw one.reason
      } else await this.#ask(step, env)
    }
  }

  #must(condition: Condition, env: Env): void {
    if (this.#value(condition.that, env) === true) return
    const [left, , right] = parted(condition.that).map((said) => shown(this.#value(said, env)))
    throw new Finding(`${condition.else}, got ${left} and ${right}`)
  }

  /** Evaluates an expression with `$` names: operators apply from left to right, to bigints, so no digit is lost. */
  #value(said: unknown, env: Env): unknown {
    if (typeof said === 'object' && said !== null) return mapped(said, (value) => this.#value(value, env))
    if (typeof said !== 'string') return said
    const [left, operator, right] = parted(said)
    if (operator in OPERATORS) return OPERATORS[operator]!(this.#value(left, env) as never, this.#value(right, env) as never)
    if (!said.startsWith('$')) return BigInt(said)
    const all = { ...env, fresh: randomToken(), unknown: `conform-${randomToken()}`, held: this.#held.length }
    const found = said.slice(1).split('.').reduce<unknown>((of, name) => (of as Env | undefined)?.[name], all)
    if (found === undefined) throw new Finding(`an answer must have \`${said.replace(/^.*\./, '')}\``)
    if (typeof found !== 'number') return found
    if (!Number.isSafeInteger(found)) throw new Finding(`\`${said.slice(1)}\` must be a whole number, got ${shown(found)}`)
    return BigInt(found)
  }

  async #ask(step: Ask, env: Row): Promise<void> {
    const verb = (Object.keys(asks) as Verb[]).find((verb) => verb in step)!
    const ask = this.#value({ ...asks[verb], ...step[verb] }, { ...env, of: env[step.of ?? ''] }) as Row
    const store = step.again === true ? this.#again!() : this.#store
    // No later answer may be older than this, except for servers whose clocks differ.
    const beforeMs = this.#latest - APART_MS
    for (let tries = 1; ; tries++) {
      try {
        const answer = await answered(store, verb, ask)
        if (step.refused !== undefined && step.granted !== undefined) throw new Skip(step.granted)
        if (step.refused !== undefined) throw new Finding(`\`${verb}\` must be refused with ${step.refused}, and gave ${shown(answer)}`)
        env[step.as ?? ''] = this.#noted(verb, ask, answer, beforeMs)
        return
      } catch (error) {
        if (error instanceof Finding || error instanceof Skip) throw error
        const { code, until, retryAfter } = error as { code?: string; until?: number; retryAfter?: number }
        const waitMs = Math.ceil(retryAfter ?? until ?? 0)
        env[step.as ?? ''] = { waitMs }
        if (code !== undefined && (code === step.refused || code === step.or)) return
        const isBusy = code === 'OVERLOADED' || (code === 'WORKERS_EXHAUSTED' && step.refused === undefined)
        if (!isBusy || tries === TRIES) throw new Finding(`\`${verb}\` must be ${step.refused ?? 'granted'}, got ${shown(error)}`)
        await this.#pass(500)
      }
    }
  }

  /** Checks what every answer must have. A holder may be granted again what it had before. */
  #noted(verb: Verb, ask: Row, given: unknown, beforeMs: bigint): unknown {
    const key = verb === 'leaseSegment' || verb === 'acquire' ? ask['request'] : ask['key']
    if (verb === 'release') {
      const own = this.#granted.get(`worker ${String(ask['worker'])}`)?.filter(({ of }) => of === key)
      for (const had of own ?? []) if (had.end > (ask['unusedFrom'] as bigint)) had.end = ask['unusedFrom'] as bigint
      return undefined
    }
    if (typeof given !== 'object' || given === null) throw new Finding(`\`${verb}\` must answer an object, got ${shown(given)}`)
    const { start, end, store } = given as Row
    if (!TOKEN.test(String(store))) throw new Finding(`\`store\` of an answer must be 32 lower-case hex digits, got ${shown(store)}`)
    const answer: Row & Granted = { ...given, start: exact('start', start), end: exact('end', end), of: key }
    for (const condition of answers[verb]) this.#must(condition, { beforeMs, ask, answer })
    const now = BigInt(answer['nowMs'] as number)
    if (now > this.#latest) this.#latest = now
    const line = verb === 'leaseSegment' ? `tag ${String(answer['tag'])}` : `worker ${String(answer['worker'])}`
    const granted = this.#granted.get(line) ?? []
    const twice = granted.find((had) => had.of !== key && had.start < had.end && had.start < answer.end && answer.start < had.end)
    if (twice !== undefined) throw new Finding(`${line} was granted twice: in ${twice.start} up to ${twice.end} and in ${answer.start} up to ${answer.end}`)
    this.#granted.set(line, [...granted, { start: answer.start, end: answer.end, of: key }])
    if (verb === 'acquire') this.#held.push(answer)
    return answer
  }
}

async function answered(store: Store, verb: Verb, ask: Row): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Finding(`\`${verb}\` was not answered within ${ANSWER_MS} ms`)), ANSWER_MS)
  })
  try {
    return await Promise.race([call(store, verb, mapped(ask, plain), undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

function plain(value: unknown, field: string): unknown {
  if (typeof value === 'bigint') return EXACT.has(field) ? value : Number(value)
  return typeof value === 'object' && value !== null ? mapped(value, plain) : value
}

function mapped(of: object, to: (value: unknown, field: string) => unknown): Row {
  return Object.fromEntries(Object.entries(of).map(([field, value]) => [field, to(value, field)]))
}

/** Splits an expression at its last operator: left side, operator, right side. */
function parted(said: string): [string, string, string] {
  const words = said.split(' ')
  const right = words.pop()!
  const operator = words.pop() ?? ''
  return [words.join(' '), operator, right]
}

/** A 64-bit number of an answer. A plain number is refused: it may have lost its last digits. */
function exact(field: string, value: unknown): bigint {
  const isExact = typeof value === 'bigint' || (typeof value === 'string' && /^\d{1,19}$/.test(value))
  if (!isExact) throw new Finding(`\`${field}\` must be a bigint or a decimal string, got ${shown(value)}`)
  return BigInt(value as Big)
}
