import { LeafidError } from '../values/errors.js'
import { quoted, shown, shownAddress } from '../values/shown.js'
import { theHost } from '../hosts/host.js'
import { httpStore } from './http.js'
import { realm } from './realm.js'
import { call, type Store, type Verb } from './store.js'

/** A store: an object with the methods, an address, or a function that gives a store for each ask. */
export type StoreOption = Store | string | URL | (() => Store)

/** The stores of this process (or isolate), one for each address. */
const named = new Map<string, Store>()
const NAMED = /^(memory|sqlite|postgres|postgresql|mysql|mariadb):/

function atAddress(url: string): Store {
  const store = named.get(url) ?? opened(url)
  named.set(url, store)
  return store
}

let memoryStore: (() => Store) | undefined

/** Lets `memory:` name a store, where what that needs is loaded in any case. */
export function useMemory(made: () => Store): void {
  memoryStore = made
}

function opened(url: string): Store {
  const isMemory = url.startsWith('memory:')
  const store = isMemory ? memoryStore?.() : theHost().storeAt?.(url)
  if (store !== undefined) return store
  const cure = isMemory
    ? "a Worker or a page has it with `{ store: memoryStore() }`, or after `import 'leafid/testing'`"
    : 'only the Node build of leafid opens it; in a Worker take `d1Store` or `durableObjectStore` of leafid/workers, elsewhere the address of a server'
  throw new LeafidError('NOT_ENABLED', `${quoted(url)} is not here: ${cure}`)
}

/** The store of a generator. */
export interface Chosen {
  /** What it is, once it is found. */
  option: StoreOption | undefined
  store(): Store
}

/**
 * A given store is checked at once, and a relative path is that of the folder then; the one of `LEAFID_STORE` is looked
 * for with the first ask, until it is found. `REQUEST_INVALID` if there is none, or it lacks a method.
 */
export function chosenStore(given: StoreOption | undefined, verbs: readonly Verb[]): Chosen {
  const option = absolute(given, false)
  let store: Store | undefined
  const chosen: Chosen = { option, store: () => (store ??= found((chosen.option = option ?? absolute(theHost().setting('LEAFID_STORE'), true)), verbs)) }
  if (option !== undefined) chosen.store()
  return chosen
}

/** The store to draw from now: that of the running test, unless the generator has a `memoryStore()` of its own. */
export function duringTest(chosen: Chosen): Chosen {
  const { memories, test } = realm
  return test === undefined || memories.has(chosen.option as object) ? chosen : { option: test, store: () => test }
}

function absolute(option: StoreOption | undefined, isSetting: boolean): StoreOption | undefined {
  if (typeof option !== 'string' && !(option instanceof URL)) return option
  return theHost().absolute?.(String(option), isSetting) ?? String(option)
}

function found(wanted: StoreOption | undefined, verbs: readonly Verb[]): Store {
  if (wanted === undefined || wanted === '') {
    throw new LeafidError('REQUEST_INVALID', "no store is named: pass `{ store: 'http://127.0.0.1:8750' }` (in a test `'memory:'`), or set LEAFID_STORE")
  }
  if (typeof wanted === 'string') {
    if (NAMED.test(wanted)) return atAddress(wanted)
    if (/^https?:/i.test(wanted)) return httpStore(wanted)
    const others = theHost().storeAt === undefined ? '' : ', `sqlite:PATH`, `postgres://…`, `mysql://…`'
    throw new LeafidError('REQUEST_INVALID', `a store's address is like \`http://127.0.0.1:8750\`${others} or \`memory:\`, got ${shownAddress(wanted)}`)
  }
  return typeof wanted === 'function' ? perAsk(wanted, verbs) : checked(wanted as Store, verbs)
}

/** A store from a function, called for each ask: a Worker's binding does not outlive its request. */
function perAsk(give: () => Store, verbs: readonly Verb[]): Store {
  const verb = (name: Verb) => [name, (ask: never, signal?: AbortSignal) => call(checked(give(), verbs), name, ask, signal)]
  return Object.fromEntries(verbs.map(verb)) as Store
}

function checked(store: Store, verbs: readonly Verb[]): Store {
  const lacking = verbs.find((verb) => typeof (store as Store | null | undefined)?.[verb] !== 'function')
  if (lacking === undefined) return store
  const all = verbs.map((verb) => `\`${verb}\``)
  const needs = all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all[0]
  throw new LeafidError('REQUEST_INVALID', `the store ${shown(store)} has no method \`${lacking}\`: it needs ${needs}`)
}
