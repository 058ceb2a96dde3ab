import type { Journal } from '../stores/journal.js'
import { LeafidError } from '../values/errors.js'
import type { Columns, Query, Step } from './text.js'
import type { Decided, Noted, Waits, Work } from './work.js'

/** How many attempts a decision gets. */
const ATTEMPTS = 24
/** How long to retry after others' writes, in ms: less than the 3 s after which a holder's ask times out. */
const PATIENCE_MS = 2_500
/** The longest pause between attempts, in ms: a caller that pauses much longer than the others keeps losing. */
const LONGEST_MS = 10

/** How long a request may wait until the servers have noted it, and the pauses between two looks, in ms. */
const NOTED_MS = 2_800
const [SHORTEST_LOOK_MS, LONGEST_LOOK_MS] = [20, 50]

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

/** The end of a request, durable; before it is told, a journal has to note the `changes`, and servers if it `waits`. */
export type Ended<T> = Pick<Decided<T>, 'answer' | 'refused' | 'waits' | 'changes'>

/** The answer, or throws the refusal. */
export function told<T>({ answer, refused }: Ended<T>): T {
  if (refused !== undefined) throw refused
  return answer!
}

export function runNear<T>(tables: Tables, begin: () => Work<T>): T {
  return told(endNear(tables, begin))
}

export function endNear<T>(tables: Tables, begin: () => Work<T>): Ended<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const decided = tables.transaction(() => {
        const work = begin()
        let step = work.next([])
        while (step.done !== true) step = work.next(step.value.map((query) => tables.all(query)))
        for (const write of step.value.steps) apply(tables, write)
        return step.value
      })
      if (decided.refused === undefined) decided.written?.()
      if (isEnd(decided)) return decided
    } catch (error) {
      if (error !== CONFLICT) throw error
    }
  }
  throw overloaded()
}

/** Whether it was decided; otherwise the request starts over once the steps are written. */
function isEnd<T>({ answer, refused }: Decided<T>): boolean {
  return answer !== undefined || refused !== undefined
}

function apply(tables: Tables, step: Step): void {
  const done = step.must === 'find' ? tables.all(step).length > 0 : tables.run(step) > 0
  if (!done && step.must !== 'nothing') throw CONFLICT
}

/** Reads, decides, and writes if nothing changed since; else decides again, while the caller waits. */
export async function runFar<T>(tables: FarTables, begin: () => Work<T>, signal?: AbortSignal): Promise<T> {
  return told(await endFar(tables, begin, signal))
}

export async function endFar<T>(tables: FarTables, begin: () => Work<T>, signal?: AbortSignal): Promise<Ended<T>> {
  const end = Date.now() + PATIENCE_MS
  do {
    const work = begin()
    let step: IteratorResult<readonly Query[], Decided<T>> = work.next([])
    while (step.done !== true) step = work.next(await tables.read(step.value))
    const written = step.value.steps.length === 0 || (await tables.write(step.value.steps))
    if (written && step.value.refused === undefined) step.value.written?.()
    if (written && isEnd(step.value)) return step.value
    if (!written) await pause(0, LONGEST_MS)
  } while (Date.now() < end && signal?.aborted !== true)
  throw overloaded()
}

/** How a request waits until the journal and the servers have noted it. */
export interface Noting<T> {
  journal: Journal | undefined
  /** Raises rows to what the journal knows of them. */
  raise(known: string): Ended<{ raised: number }> | Promise<Ended<{ raised: number }>>
  /** Decides the request again. */
  act(): Ended<T> | Promise<Ended<T>>
  look(waits: Waits, isLate: boolean): Noted | Promise<Noted>
  /** Removes this store's record from among the servers. If it cannot, they drop it after a while. */
  leave(waits: Waits): unknown
  /** Whether an error only means that the tables are in use at this moment. */
  isLater?(error: unknown): boolean
}

/**
 * Tells how a request ended once the journal and every server of the store have noted it. It is decided again if the
 * store went back or was fenced.
 */
export async function whenNoted<T>(ended: Ended<T>, { act, look, leave, isLater, journal, raise }: Noting<T>): Promise<T> {
  const end = Date.now() + NOTED_MS
  const soon = async <R>(act: () => R | Promise<R>): Promise<R> => {
    for (;;) {
      try {
        return await act()
      } catch (error) {
        if (isLater?.(error) !== true) throw error
        if (Date.now() >= end) throw overloaded()
        await pause(0, LONGEST_MS)
      }
    }
  }
  const journaled = async (ended: Ended<T>): Promise<Ended<T>> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { changes } = ended
      const known = changes && (await journal?.note(changes))
      if (known === undefined) return ended
      const { raised } = told(await soon(() => raise(known)))
      journal!.raised(changes!.store, raised)
      ended = await soon(act)
    }
    throw overloaded()
  }
  ended = await journaled(ended)
  let { waits } = ended
  while (waits !== undefined) {
    await pause(SHORTEST_LOOK_MS, LONGEST_LOOK_MS)
    const known = waits
    const { noted, last } = await soon(() => look(known, Date.now() >= end))
    if (last) await soon(() => leave(known)).catch(() => {})
    if (noted === 'all') break
    if (noted === 'again') waits = (ended = await journaled(await soon(act))).waits
  }
  return told(ended)
}

function pause(least: number, most: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, least + Math.random() * (most - least)))
}

function overloaded(): LeafidError {
  return new LeafidError('OVERLOADED', 'others wrote the same rows first, again and again: the store has more to do than it can; ask again')
}
