import { LeafidError, shown } from '../errors.js'
import { theHost } from '../host.js'
import { httpStore } from './http.js'
import type { Store, Verb } from './store.js'

/** What stands for a store: an object with the methods, or an address. */
export type StoreOption = Store | string | URL

/** The store that was named; the one of `LEAFID_STORE` if none was. `REQUEST_INVALID` if there is none, or if it lacks a method. */
export function chosenStore(option: StoreOption | undefined, verbs: readonly Verb[]): Store {
  const named = option ?? theHost().setting('LEAFID_STORE')
  if (named === undefined || named === '') {
    throw new LeafidError('REQUEST_INVALID', "no store: pass `{ store: 'http://127.0.0.1:8750' }`, or set LEAFID_STORE")
  }
  if (typeof named === 'string' || named instanceof URL) return httpStore(named)
  const lacking = verbs.find((verb) => typeof (named as Store | null)?.[verb] !== 'function')
  if (lacking !== undefined) {
    throw new LeafidError('REQUEST_INVALID', `the store ${shown(named)} has no method \`${lacking}\`: a store has ${verbs.join(', ')}`)
  }
  return named
}
