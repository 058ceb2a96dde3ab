/** Waits for `ms`, or until `sooner` resolves (it never rejects). */
export async function sleep(ms: number, sooner?: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await (sooner === undefined ? over : Promise.race([over, sooner]))
  clearTimeout(timer)
}

/** Waits for `work`; after `ms` signals it to stop and gives up. */
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

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
