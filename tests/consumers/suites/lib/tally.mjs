// What programs told of their draws, added up: every number of a tag once, whoever drew it.
import assert from 'node:assert/strict'

const EACH = 200_000
/** What 1001 is to others, under a key of zeros. */
const SHOWN = 'order_6YkpXnXFL5j'

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
    const twice = (lists) => lists.flat().length - new Set(lists.flat()).size
    assert.equal(twice(this.#lists), 0)
    assert.equal(twice([...this.#lists, this.#lists[0]]), EACH / 2)
  }
}
