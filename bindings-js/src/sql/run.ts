import { LeafidError } from '../values/errors.js'
import type { Columns, Query, Step } from './text.js'
import type { Decided, Work } from './work.js'

/** How many attempts a decision gets. */
const ATTEMPTS = 24
/** How long to retry after others' writes, in ms: less than the 3 s after which a holder's ask times out. */
const PATIENCE_MS = 2_500
/** The longest pause between attempts, in ms: a caller that pauses much longer than the others keeps losing. */
const LONGEST_MS = 10

/** Synchronous tables, with one transaction at a time. */
export interface Tables {
  /** Runs in an exclusive transaction, rolled back if `act` throws. */
  transaction<T>(act: () => T): T
  all(query: Query): Columns[]
  run(query: Query): number
}

/** Tables across a network: one call reads as of one moment, and writes all of its steps or none. */
export interface FarTables {
  read(queries: readonly Query[]): Promise<Columns[][]>
  /** Whether it was written: not if a step did not write or find what it must. */
  write(steps: readonly Step[]): Promise<boolean>
}

/** Thrown to roll back a transaction that met another's write. */
const CONFLICT = Symbol('conflict')

export function runNear<T>(tables: Tables, begin: () => Work<T>): T {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const decided = tables.transaction(() => {
        const work = begin()
        let step = work.next([])
        while (step.done !== true) step = work.next(step.value.map((query) => tables.all(query)))
        for (const write of step.value.steps) apply(tables, write)
        return step.value
      })
      if (decided.refused !== undefined) throw decided.refused
      decided.written?.()
      if (decided.answer !== undefined) return decided.answer
    } catch (error) {
      if (error !== CONFLICT) throw error
    }
  }
  throw overloaded()
}

function apply(tables: Tables, step: Step): void {
  const done = step.must === 'find' ? tables.all(step).length > 0 : tables.run(step) > 0
  if (!done && step.must !== 'nothing') throw CONFLICT
}

/** Reads, decides, and writes if nothing changed since; else decides again, while the caller waits. */
export async function runFar<T>(tables: FarTables, begin: () => Work<T>, signal?: AbortSignal): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  do {
    const work = begin()
    let step: IteratorResult<readonly Query[], Decided<T>> = work.next([])
    while (step.done !== true) step = work.next(await tables.read(step.value))
    const written = step.value.steps.length === 0 || (await tables.write(step.value.steps))
    const { refused, answer } = step.value
    if (written && refused !== undefined) throw refused
    if (written) step.value.written?.()
    if (written && answer !== undefined) return answer
    if (!written) await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS))
  } while (Date.now() < end && signal?.aborted !== true)
  throw overloaded()
}

function overloaded(): LeafidError {
  return new LeafidError('OVERLOADED', 'others wrote the same rows first, again and again: the store has more to do than it can; ask again')
}
