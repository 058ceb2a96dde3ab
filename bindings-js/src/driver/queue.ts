/** What a caller tries: `undefined` is what it gives when the engine refuses. */
export type Attempt<T> = () => T | undefined

/** What a caller is told: what it wanted, or how to make its error. */
export type Told<T> = { got: T } | { error: () => unknown }

export interface Waiter {
  readonly isDone: boolean
  readonly count: number
  try(): boolean
  fail(error: () => unknown): void
}

export class Turn<T> implements Waiter {
  /** What the caller is told. It never rejects: the caller throws, so that the error has the stack of its call. */
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

  /** Tries, unless it was told; whether it is told now. */
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

/** Callers that wait. They are served in the order in which they came; only one that wants fewer IDs may overtake. */
export class Queue {
  /** Somebody serves it when there may be something at hand. */
  isWatched = false
  readonly #turns = new Set<Waiter>()
  #isServing = false

  /** Serves them in order, until there is nothing at hand for one: this one, the first now. */
  serve(): Waiter | undefined {
    for (const turn of this.#turns) {
      // A store in the same process may answer within an attempt, and be served from here.
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
