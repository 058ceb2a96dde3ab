import { engineBuilds, mendEngine, theEngine, type Carryover, type Engine } from '../engines/engine.js'
import { accepted } from '../values/errors.js'
import { entropy } from '../hosts/host.js'

/** What a generator is built from. */
export interface Plan {
  kind: 'segment' | 'snowflake'
  /** The core's configuration. */
  config: object
  /** What it is in a message: `` tag `orders` ``. */
  what: string
}

let last = 0

/** Handles are never used twice, so that an old one names nothing in an engine that was built anew. */
function fresh(): number {
  last += 1
  return last
}

interface Slot {
  handle: number
  build: number
}

const abandoned =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<Slot>((slot) => {
        if (slot.handle !== 0 && slot.build === engineBuilds()) theEngine().free(slot.handle)
      })

/** Says what is wrong with a plan, without randomness: it is built and thrown away. */
export function check(plan: Plan): void {
  const handle = fresh()
  accepted(plan.what, theEngine().create(handle, plan.kind, plan.config, 0n) ?? undefined)
  theEngine().free(handle)
}

/** A generator inside the engine, built at its first use, and again when the engine was. */
export class Handle {
  readonly #plan: Plan
  readonly #slot: Slot = { handle: 0, build: -1 }
  readonly #lost: () => void
  #before: Carryover | undefined
  #highest: bigint | undefined
  #layout: object | undefined

  /** `lost` is called when the engine was built anew: everything in hand is gone. */
  constructor(plan: Plan, lost: () => void) {
    this.#plan = plan
    this.#lost = lost
    abandoned?.register(this, this.#slot)
  }

  /** Whether it was ever used. */
  get isBegun(): boolean {
    return this.#slot.handle !== 0
  }

  /** Does something with the generator. An engine that breaks is built anew, and asked again. */
  do<T>(act: (engine: Engine, handle: number) => T): T {
    try {
      return act(theEngine(), this.#current())
    } catch (error) {
      mendEngine(error)
      return act(theEngine(), this.#current())
    }
  }

  /** Notes the highest ID that was drawn: a new instance goes on above it. */
  note(highest: bigint): void {
    this.#highest = highest
  }

  /**
   * Notes what an answer told: by the store's id and the highest end a new instance notices a store that
   * changed or went back.
   */
  noteFacts(): void {
    this.#before = this.do((engine, handle) => engine.carryover(handle))
    this.#layout = this.do((engine, handle) => engine.layoutInUse(handle)) ?? this.#layout
  }

  #current(): number {
    if (this.#slot.build === engineBuilds()) return this.#slot.handle
    const again = this.isBegun
    const engine = theEngine()
    const handle = fresh()
    const seed = new DataView(entropy(8).buffer).getBigUint64(0)
    accepted(this.#plan.what, engine.create(handle, this.#plan.kind, this.#plan.config, seed) ?? undefined)
    this.#slot.handle = handle
    this.#slot.build = engineBuilds()
    if (again) {
      engine.resume(handle, this.#before ?? { position: 0n }, this.#highest, this.#layout)
      this.#lost()
    }
    return handle
  }
}
