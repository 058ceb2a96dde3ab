// A Worker with three stores of each kind: two that share the worker numbers out by declaration, and one that is declared as the first.
import { Snowflake } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'

const numbers = (start, end) => ({ default: { workers: { start, end } } })

export class Low extends LeafidObject {
  static namespaces = numbers(0, 8)
}
export class High extends LeafidObject {
  static namespaces = numbers(8, 16)
}
export class Alike extends Low {}
export class Misspelt extends LeafidObject {
  static tags = { orders: { from: '1' } }
  static namespaces = { default: { layuot: 'edge' } }
}

const stores = {
  object: { low: durableObjectStore('LOW'), high: durableObjectStore('HIGH'), alike: durableObjectStore('ALIKE') },
  d1: {
    low: d1Store('DB', { namespaces: numbers(0, 8) }),
    high: d1Store('HIGH_DB', { namespaces: numbers(8, 16) }),
    alike: d1Store('ALIKE_DB', { namespaces: numbers(0, 8) }),
  },
}
const holders = Object.fromEntries(
  Object.entries(stores).map(([kind, all]) => [kind, Object.fromEntries(Object.entries(all).map(([name, store]) => [name, new Snowflake('default', { store })]))]),
)

const refused = ({ code, message }) => ({ code, message })

/** 100 IDs of each of these, in turns: so many rounds. */
async function draw({ kind, of, rounds }) {
  const ids = []
  for (let round = 0; round < Number(rounds); round++) {
    for (const name of of.split(',')) ids.push(...(await holders[kind][name].take(100)))
  }
  return ids.map(String)
}

/** What declarations that cannot be are refused with: of D1 when they are given, of an object when it is asked first, for whatever. */
async function cannotBe() {
  const declarations = [{ tags: { orders: { maxStep: 5 } } }, { tags: { orders: { step: 'a' } } }, { namespaces: { default: 5 } }, { namespaces: { default: { layuot: 'edge' } } }]
  const d1 = declarations.map((declared) => {
    try {
      return d1Store('DB', declared) && {}
    } catch (error) {
      return refused(error)
    }
  })
  const object = await durableObjectStore('MISSPELT').lease_segment({ tag: 'orders', request: '01'.repeat(16) }).catch(refused)
  return { d1, object }
}

export default {
  async fetch(request) {
    const { act, ...what } = Object.fromEntries(new URL(request.url).searchParams)
    return Response.json(await (act === 'draw' ? draw(what) : cannotBe()))
  },
}
