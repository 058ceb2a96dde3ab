// What programs told of their draws, added up: every number of a tag once, whoever drew it.
import assert from 'node:assert/strict'

const EACH = 200_000
/** What 1001 is to others, under a key of zeros. */
const SHOWN = 'order_6YkpXnXFL5j'

/** How many numbers stand in more than one of these lists of ranges, such as `1-10,21-30`. */
export function shared(lists) {
  const all = lists.flatMap((list) => list.split(',').map((range) => range.split('-').map(BigInt)))
  all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  let twice = 0n
  let end = 0n
  for (const [first, last] of all) {
    if (first <= end) twice += (last < end ? last : end) - first + 1n
    if (last > end) end = last
  }
  return Number(twice)
}

/** What several programs drew from one store. */
export class Tally {
  #lists = []
  #shown = 0

  /** Adds one program's report, which must be clean by itself. */
  add(told) {
    assert.deepEqual([told.ids, told.duplicates, told.control], [EACH, 0, 1_000], JSON.stringify(told).slice(0, 500))
    this.#lists.push(told.numbers)
    if (told.shown === SHOWN) this.#shown += 1
    return told
  }

  /** No number was drawn by two programs; with one list counted twice, every number of it was. */
  settle(least) {
    assert.ok(this.#lists.length >= least, `only ${this.#lists.length} programs told anything`)
    // One at most has no public IDs: the entry with the engine in its code.
    assert.ok(this.#shown >= least - 1, `only ${this.#shown} programs showed \`${SHOWN}\``)
    assert.equal(shared(this.#lists), 0)
    assert.equal(shared([...this.#lists, this.#lists[0]]), EACH / 2)
  }
}
