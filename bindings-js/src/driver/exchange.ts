import { call, type Store, type Verb } from '../stores/store.js'
import { isPromise, within } from './deadline.js'

/** An ask that got no answer within this time is given up; the core sends it again. */
export const ASK_MS = 3_000

/** What a store answered: at once, or later. */
export type Answer = { now: unknown } | { failed: unknown } | { later: Promise<unknown> }

/** Asks a store. Later answers come within `ASK_MS`, or `late` is what they fail with; `keepsAlive` tells whether the process waits for them. */
export function ask(store: Store, verb: Verb, body: object, late: () => Error, keepsAlive: boolean): Answer {
  const stop = new AbortController()
  try {
    // A method that is missing fails like one that throws.
    const answer = call(store, verb, body, stop.signal)
    return isPromise(answer) ? { later: within(ASK_MS, answer, stop, late, keepsAlive) } : { now: answer }
  } catch (error) {
    return { failed: error }
  }
}
