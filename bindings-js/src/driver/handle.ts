import {
  ASK_IS_DUE,
  engineBuilds,
  recoverEngine,
  theEngine,
  type Carryover,
  type Engine,
  type Refused,
  type Stance,
  type StateFiles,
} from '../engines/engine.js'
import { entropy } from '../hosts/host.js'
import { accepted, type Subject } from '../values/refusals.js'

export interface Plan {
  kind: 'segment' | 'snowflake'
  config: object
  subject: Subject
  /** Its state file, if it has one. */
  state?: StateFile | undefined
  /** Requirements for fields of the configuration, beyond the general ones. */
  mustBe?: Readonly<Record<string, string>>
}

/** The state file of a generator. */
export interface StateFile {
  files: StateFiles
  /**
   * Opens it before the first ask, for a handle. Returns whether there is a right in it; none if another process has it.
   * Throws if it cannot be used.
   */
  open(handle: number): boolean
}

/** What to do: an ask of this kind with its fields, or a `write` of the state file. */
export interface Action {
  ask: 'segment' | 'acquire' | 'renew'
  write?: Uint8Array
}

/** Verbs that are passed to the engine unchanged. */
type Asked = 'goodUntil' | 'ready' | 'most' | 'refusal' | 'wants' | 'pollAt' | 'handleGrant' | 'handleFailure' | 'failing' | 'retire' | 'forget' | 'look' | 'stats' | 'settled' | 'giveUp'

type Filed = 'begin' | 'finish' | 'close'

type Given<Of, V extends keyof Of> = Of[V] extends (handle: number, ...given: infer Rest) => unknown ? Rest : never

let last = 0

/** A new handle. None is used twice, so that an old one is unknown to a rebuilt engine. */
function fresh(): number {
  last += 1
  return last
}

interface Entry {
  handle: number
  build: number
  files: StateFiles | undefined
}

const abandoned =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<Entry>((entry) => {
        if (entry.handle !== 0 && entry.build === engineBuilds()) theEngine().free(entry.handle)
        entry.files?.close(entry.handle)
      })

/** Checks a plan by building a generator and throwing it away, which needs no randomness. */
export function check(plan: Plan): void {
  const handle = fresh()
  build(handle, plan, 0n)
  theEngine().free(handle)
}

function build(handle: number, { kind, config, subject, mustBe = {} }: Plan, seed: bigint): void {
  accepted(subject, theEngine().create(handle, kind, config, seed) ?? undefined, { given: { config: { value: config, mustBe } } })
}

/** A generator inside the engine: built at first use, and again after the engine was rebuilt. */
export class Handle {
  readonly plan: Plan
  readonly #entry: Entry
  readonly #lost: () => void
  #before: Carryover | undefined
  #highest: bigint | undefined
  #layout: object | undefined

  /** `lost` is called after the engine was rebuilt: all unused IDs are gone. */
  constructor(plan: Plan, lost: () => void) {
    this.plan = plan
    this.#entry = { handle: 0, build: -1, files: plan.state?.files }
    this.#lost = lost
    abandoned?.register(this, this.#entry)
  }

  get isBegun(): boolean {
    return this.#entry.handle !== 0
  }

  /** Records facts after an answer, by which a rebuilt generator detects a store that changed or went back. */
  noteAnswer(): void {
    this.#before = this.#do((engine, handle) => engine.carryover(handle))
    if (this.plan.kind === 'snowflake') this.#layout = this.#do((engine, handle) => engine.layoutInUse(handle)) ?? this.#layout
  }

  fill(now: number, out: BigUint64Array): number {
    return this.#noted(this.#do((engine, handle) => engine.fill(handle, now, out)))
  }

  fillAvailable(now: number, out: BigUint64Array): number {
    return this.#noted(this.#do((engine, handle) => engine.fillAvailable(handle, now, out)))
  }

  /** Records the highest ID drawn, above which a rebuilt generator goes on. The caller's array may be written by others. */
  #noted(told: number): number {
    const count = told & ~ASK_IS_DUE
    if (count > 0) this.#highest = theEngine().lastOf(count)
    return told
  }

  stance({ code, until }: Refused, now: number): Stance {
    return this.#do((engine, handle) => engine.stance(handle, code, until === undefined ? undefined : Number(until), now))
  }

  ask<V extends Asked>(verb: V, ...given: Given<Engine, V>): ReturnType<Engine[V]> {
    return this.#do((engine, handle) => (engine[verb] as (handle: number, ...given: unknown[]) => ReturnType<Engine[V]>)(handle, ...given))
  }

  poll(now: number): Action | null | undefined {
    return this.#do((engine, handle) => engine.poll(handle, now, entropy(16))) as Action | null | undefined
  }

  /** Calls a verb of the state file; `undefined` without one. */
  file<V extends Filed>(verb: V, ...given: Given<StateFiles, V>): ReturnType<StateFiles[V]> | undefined {
    const file = this.#entry.files?.[verb] as ((handle: number, ...given: unknown[]) => ReturnType<StateFiles[V]>) | undefined
    return file?.(this.#entry.handle, ...given)
  }

  /** As `retire`, but also gives back the window that the state file keeps. */
  giveUp(): object | null | undefined {
    return this.ask(this.#entry.files === undefined ? 'retire' : 'giveUp')
  }

  /** Calls the engine; if it breaks, rebuilds it and calls again. */
  #do<T>(act: (engine: Engine, handle: number) => T): T {
    try {
      return act(theEngine(), this.#current())
    } catch (error) {
      recoverEngine(error)
      return act(theEngine(), this.#current())
    }
  }

  #current(): number {
    if (this.#entry.build === engineBuilds()) return this.#entry.handle
    const again = this.isBegun
    const handle = fresh()
    build(handle, this.plan, new DataView(entropy(8).buffer).getBigUint64(0))
    if (again) {
      // As in the next run of this process: after what was being written, the file says what may be used.
      this.file('finish')
      this.file('close')
    }
    const hasRight = this.plan.state !== undefined && this.plan.state.open(handle)
    this.#entry.handle = handle
    this.#entry.build = engineBuilds()
    if (again && !hasRight) {
      const refused = theEngine().resume(handle, this.#before ?? { position: 0n }, this.#highest, this.#layout)
      accepted(this.plan.subject, refused ?? undefined)
    }
    if (again) this.#lost()
    return handle
  }
}
