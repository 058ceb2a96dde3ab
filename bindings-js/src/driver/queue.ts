/** A caller's attempt: gives `undefined` if the engine refuses. */
export type Attempt<T> = () => T | undefined

/** A caller's outcome: what it wanted, or a function that makes its error. */
export type Told<T> = { got: T } | { error: () => unknown }

export interface Waiter {
  readonly isDone: boolean
  readonly count: number
  try(): boolean
  fail(error: () => unknown): void
}

export class Turn<T> implements Waiter {
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
export class Queue {
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
