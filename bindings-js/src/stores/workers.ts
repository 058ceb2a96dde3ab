import { deciding } from './deciding.js'
import type { WorkerRow } from './registry.js'

interface Entry {
  worker: number
  until: bigint
}

/**
 * The number that is free first: a heap of what `until` said when a number was added. An entry that
 * is out of date is dropped when it comes up.
 */
class Resting {
  readonly #until: (worker: number) => bigint | undefined
  #heap: Entry[] = []
  #numbers = new Set<number>()

  constructor(until: (worker: number) => bigint | undefined) {
    this.#until = until
  }

  /** Adds a number, or notes its new `until`. */
  add(worker: number): void {
    this.#numbers.add(worker)
    // Each renewal of a window leaves an old entry behind.
    if (this.#heap.length > 2 * this.#numbers.size + 64) {
      const numbers = this.#numbers
      this.clear()
      for (const number of numbers) this.add(number)
      return
    }
    const until = this.#until(worker)
    if (until !== undefined) this.#push({ worker, until })
  }

  /** The number that is free first. */
  first(): number | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#until(top.worker) === top.until) return top.worker
      this.#pop()
    }
    return undefined
  }

  /** Forgets every number. */
  clear(): void {
    this.#heap = []
    this.#numbers = new Set()
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    for (let above = (at - 1) >> 1; at > 0 && heap[above]!.until > entry.until; above = (at - 1) >> 1) {
      heap[at] = heap[above]!
      heap[(at = above)] = entry
    }
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const lower = left + 1 < heap.length && heap[left + 1]!.until < heap[left]!.until ? left + 1 : left
      if (lower >= heap.length || heap[lower]!.until >= last.until) break
      heap[at] = heap[lower]!
      at = lower
    }
    heap[at] = last
  }
}

/** The worker numbers that may be handed out: `start` up to, but without, `end`. */
export interface Workers {
  start: number
  end: number
}

/** The rows of a namespace's worker numbers, and what an acquire looks up: nothing here reads them all. */
export class WorkerRows {
  readonly #rows = new Map<number, WorkerRow>()
  readonly #byKey = new Map<string, number>()
  readonly #sticky = new Set<number>()
  readonly #resting = new Resting((worker) => this.#rests(worker))
  #workers: Workers
  /** Below it every number has a row. */
  #fresh: number

  constructor(workers: Workers) {
    this.#workers = workers
    this.#fresh = workers.start
  }

  /** Hands out numbers of another range from now on; the rows stay. */
  handOut(workers: Workers): void {
    this.#workers = workers
    this.#fresh = workers.start
    this.#resting.clear()
    for (const worker of this.#rows.keys()) this.#resting.add(worker)
  }

  /** Whether this number is handed out, or ever was. */
  knows(worker: number): boolean {
    return this.#rows.has(worker) || (Number.isInteger(worker) && this.#isInside(worker))
  }

  /** The row of a number, its number alone where it has none. */
  get(worker: number): WorkerRow {
    return this.#rows.get(worker) ?? { worker }
  }

  /** Writes a row. */
  put(row: WorkerRow): void {
    const { worker, key } = row
    const before = this.#rows.get(worker)
    if (before?.key !== undefined) this.#byKey.delete(before.key)
    if (key !== undefined) this.#byKey.set(key, worker)
    if (row.sticky === true) this.#sticky.add(worker)
    else this.#sticky.delete(worker)
    this.#rows.set(worker, row)
    this.#resting.add(worker)
  }

  /** The row whose lease has this key. */
  mine(key: string): WorkerRow | undefined {
    const worker = this.#byKey.get(key)
    return worker === undefined ? undefined : this.#rows.get(worker)
  }

  /** The rows that this owner keeps: there are never more than two. */
  kept(owner: string): WorkerRow[] {
    return [...this.#sticky].map((worker) => this.get(worker)).filter((row) => row.owner === owner)
  }

  /** A number that nobody ever had, else the one that has been free longest; numbers that other owners keep come last. */
  rested(owner: string, now: number): WorkerRow | undefined {
    while (this.#isInside(this.#fresh) && this.#rows.has(this.#fresh)) this.#fresh += 1
    if (this.#isInside(this.#fresh)) return { worker: this.#fresh }
    const first = this.#resting.first()
    const candidates = first === undefined ? [] : [this.get(first)]
    const kept: WorkerRow[] = []
    for (const worker of this.#sticky) {
      const row = this.get(worker)
      if (this.#isInside(worker)) (deciding().isKeptFrom(row, owner, now) ? kept : candidates).push(row)
    }
    return longest(candidates) ?? longest(kept)
  }

  /** From when on anybody may have this number; `undefined` if not just anybody may. */
  #rests(worker: number): bigint | undefined {
    return this.#isInside(worker) && !this.#sticky.has(worker) ? until(this.get(worker)) : undefined
  }

  #isInside(worker: number): boolean {
    return worker >= this.#workers.start && worker < this.#workers.end
  }
}

function longest(rows: WorkerRow[]): WorkerRow | undefined {
  return rows.reduce<WorkerRow | undefined>((best, row) => (best !== undefined && until(best) <= until(row) ? best : row), undefined)
}

function until(row: WorkerRow): bigint {
  return BigInt(row.reserved_until ?? 0)
}
