/** A store's time where nobody else keeps it: the source's, and never below what the store knew at first and what passed since. */
export class AnchoredTime {
  #now: number
  #up: number

  /** `anchor` is the last time that the store was written, `up` ms on a clock that ticks. */
  constructor(anchor: number, up: number) {
    this.#now = anchor
    this.#up = up
  }

  /** The time now, in ms since 1970. */
  read(source: number, up: number): number {
    // Where that clock was set back, nothing is known to have passed, and it counts from there.
    const elapsed = Math.max(up - this.#up, 0)
    this.#up = up
    this.#now = Math.max(source, this.#now + elapsed)
    return this.#now
  }
}
