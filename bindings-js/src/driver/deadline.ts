/** A time-out of one caller, on a timer of its own: no promise of another request is awaited. */
export class Deadline {
  /** Whether the time is over. */
  isOver = false
  readonly #over: Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #signal: AbortSignal | undefined
  #end: () => void = () => {}

  /** It ends sooner when the signal is aborted. */
  constructor(ms: number, signal?: AbortSignal) {
    this.#signal = signal
    this.#over = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#timer = setTimeout(this.#stop, ms)
    signal?.addEventListener('abort', this.#stop)
  }

  readonly #stop = (): void => {
    this.isOver = true
    this.#end()
  }

  /** Waits for this work, which never rejects, or for the end. */
  async during(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#over])
  }

  /** Waits this long, or to the end, or until `sooner` comes. */
  async pause(ms: number, sooner?: Promise<void>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await this.during(sooner === undefined ? over : Promise.race([over, sooner]))
    clearTimeout(timer)
  }

  /** Nobody waits any more. */
  done(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#stop)
    this.#end()
  }
}

/** Waits for this work, and after `ms` tells it to stop and gives up on it. */
export async function within<T>(
  ms: number,
  work: PromiseLike<T>,
  stop: AbortController,
  late: () => Error,
  keepsAlive: boolean,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late()
      reject(error)
      stop.abort(error)
    }, ms)
    if (!keepsAlive) (timer as { unref?: () => void }).unref?.()
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the answer comes later. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
