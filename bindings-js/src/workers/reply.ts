import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

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
export function told<T>(verb: string, reply: Reply<T>): T {
  const { answer, refused } = (reply ?? {}) as { answer?: T; refused?: Refusal }
  if (answer !== undefined) return answer
  if (refused === undefined) {
    const cure = 'where a class overrides it, return what `super` returned'
    throw new LeafidError('REQUEST_INVALID', `\`${verb}\` of the object returned ${shown(reply)}, which is no reply of a LeafidObject: ${cure}`)
  }
  const { code, message, until, retryAfter } = refused
  throw new LeafidError(code, message, { until, retryAfter })
}
