import { LeafidError, shown } from '../values/errors.js'
import { theHost } from '../hosts/host.js'
import { httpStore } from './http.js'
import { MemoryStore, memoryStore } from './memory.js'
import type { Store, Verb } from './store.js'

/** What stands for a store: an object with the methods, or an address. */
export type StoreOption = Store | string | URL

/** The stores of this process, or isolate, that were named by `memory:NAME`. */
const named = new Map<string, MemoryStore>()

function inMemory(name: string): MemoryStore {
  const store = named.get(name) ?? memoryStore()
  named.set(name, store)
  return store
}

/** The store that was named; the one of `LEAFID_STORE` if none was. `REQUEST_INVALID` if there is none, or if it lacks a method. */
export function chosenStore(option: StoreOption | undefined, verbs: readonly Verb[]): Store {
  const wanted = option ?? theHost().setting('LEAFID_STORE')
  if (wanted === undefined || wanted === '') {
    throw new LeafidError('REQUEST_INVALID', "no store: pass `{ store: 'http://127.0.0.1:8750' }` (or `'memory:'` in a test), or set LEAFID_STORE")
  }
  if (typeof wanted === 'string' || wanted instanceof URL) {
    const url = String(wanted)
    return url.startsWith('memory:') ? inMemory(url.slice('memory:'.length)) : httpStore(wanted)
  }
  const lacking = verbs.find((verb) => typeof (wanted as Store | null)?.[verb] !== 'function')
  if (lacking !== undefined) {
    throw new LeafidError('REQUEST_INVALID', `the store ${shown(wanted)} has no method \`${lacking}\`: a store has ${verbs.join(', ')}`)
  }
  return wanted
}
