interface Entry {
  worker: number
  until: bigint
}

/**
 * The number that is free first: a heap of what `until` said when a number was added. An entry that
 * is out of date is dropped when it comes up.
 */
export class Resting {
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
