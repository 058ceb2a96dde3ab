/** A time-out of one caller, on a timer of its own: no promise of another request is awaited. */
export class Deadline {
  /** Whether the time is over. */
  isOver = false
  readonly #over: Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined
  #end: () => void = () => {}

  constructor(ms: number) {
    this.#over = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#end()
    }, ms)
  }

  /** Waits for this work, which never rejects, or for the end. */
  async during(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#over])
  }

  /** Waits so long, or to the end. */
  async pause(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    await this.during(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
      }),
    )
    clearTimeout(timer)
  }

  /** Nobody waits any more. */
  done(): void {
    clearTimeout(this.#timer)
    this.#end()
  }
}

/** Calls `act` and gives up on it after `ms`; `late` gets what comes later all the same. */
export async function within<T>(
  ms: number,
  act: (signal: AbortSignal) => T | Promise<T>,
  late: () => Error,
  keepsAlive: boolean,
): Promise<T> {
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late()
      stop.abort(error)
      reject(error)
    }, ms)
    if (!keepsAlive) (timer as { unref?: () => void }).unref?.()
  })
  try {
    return await Promise.race([act(stop.signal), over])
  } finally {
    clearTimeout(timer)
  }
}
