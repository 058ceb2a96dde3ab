// Adds up the programs' reports: no two programs may draw the same number of a tag.
import assert from 'node:assert/strict'

const EACH = 200_000
/** The public ID of 1001 under a key of zeros. */
const SHOWN = 'order_6YkpXnXFL5j'

/** The draws of several programs from one store. */
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

  /** Checks that no number was drawn by two programs; the control counts one list twice. */
  settle(least) {
    assert.ok(this.#lists.length >= least, `only ${this.#lists.length} programs told anything`)
    assert.ok(this.#shown >= least, `only ${this.#shown} programs showed \`${SHOWN}\``)
    const twice = (lists) => lists.flat().length - new Set(lists.flat()).size
    assert.equal(twice(this.#lists), 0)
    assert.equal(twice([...this.#lists, this.#lists[0]]), EACH / 2)
  }
}
