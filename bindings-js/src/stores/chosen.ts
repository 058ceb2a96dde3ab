import { LeafidError } from '../values/errors.js'
import { quoted, shown, shownAddress } from '../values/shown.js'
import { theHost } from '../hosts/host.js'
import { httpStore } from './http.js'
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

function inMemory(url: string): Store {
  if (memoryStore !== undefined) return memoryStore()
  const cure = "pass `{ store: memoryStore() }`, or import 'leafid/testing', which loads it"
  throw new LeafidError('NOT_ENABLED', `${quoted(url)} needs what a Worker or a page loads only with \`memoryStore\` of leafid: ${cure}`)
}

function opened(url: string): Store {
  if (url.startsWith('memory:')) return inMemory(url)
  const { storeAt } = theHost()
  if (storeAt !== undefined) return storeAt(url) as Store
  const cure = 'in a Worker take `d1Store` or `durableObjectStore` of leafid/workers, elsewhere the address of a server'
  const what = url.startsWith('sqlite:') ? 'is a file, and only the Node build of leafid opens one' : 'is a database, and only the Node build of leafid connects to one'
  throw new LeafidError('NOT_ENABLED', `${quoted(url)} ${what}: ${cure}`)
}

/** The address of a store; `undefined` for an object or a function. */
export function addressOf(option: StoreOption | undefined): string | undefined {
  const wanted = option ?? setting() ?? ''
  return typeof wanted === 'string' || wanted instanceof URL ? String(wanted) : undefined
}

function setting(): string | undefined {
  return theHost().setting('LEAFID_STORE')
}

/** The chosen store, by default that of `LEAFID_STORE`. `REQUEST_INVALID` if there is none, or it lacks a method. */
export function chosenStore(option: StoreOption | undefined, verbs: readonly Verb[]): Store {
  const wanted = option ?? setting()
  if (wanted === undefined || wanted === '') {
    throw new LeafidError('REQUEST_INVALID', "no store is named: pass `{ store: 'http://127.0.0.1:8750' }` (in a test `'memory:'`), or set LEAFID_STORE")
  }
  if (typeof wanted === 'string' || wanted instanceof URL) {
    const url = String(wanted)
    if (NAMED.test(url)) return atAddress(url)
    if (/^https?:/i.test(url)) return httpStore(wanted)
    const others = theHost().storeAt === undefined ? '' : ', `sqlite:PATH`, `postgres://…`, `mysql://…`'
    throw new LeafidError('REQUEST_INVALID', `a store's address is like \`http://127.0.0.1:8750\`${others} or \`memory:\`, got ${shownAddress(wanted)}`)
  }
  return typeof wanted === 'function' ? perAsk(wanted, verbs) : checked(wanted, verbs)
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
