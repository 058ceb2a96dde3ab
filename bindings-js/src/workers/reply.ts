import { LeafidError } from '../values/errors.js'

/** What crosses from an object to its caller: an error that is thrown there arrives without its code. */
export type Reply<T> = { answer: T } | { refused: Refusal }

interface Refusal {
  code: string
  message: string
  until?: number
  retryAfter?: number
}

/** What an object answers. */
export function reply<T>(act: () => T): Reply<T> {
  try {
    return { answer: act() }
  } catch (error) {
    if (!(error instanceof LeafidError)) throw error
    const { code, message, until, retryAfter } = error
    return { refused: { code, message, ...(until === undefined ? {} : { until }), ...(retryAfter === undefined ? {} : { retryAfter }) } }
  }
}

/** What the object answered, or the error that it met. */
export function told<T>(reply: Reply<T>): T {
  if ('answer' in reply) return reply.answer
  const { code, message, until, retryAfter } = reply.refused
  throw new LeafidError(code, message, { until, retryAfter })
}
