import { theRegistry, type Registry } from '../engines/registry.js'
import { LeafidError } from '../values/errors.js'

/** The decisions of a store. `NOT_ENABLED` where nothing brought them. */
export function deciding(): Registry {
  const registry = theRegistry()
  if (registry !== undefined) return registry
  const message = 'what decides for a store, also for `memory:`, is a file that a Worker or a page loads only where it is named: import `leafid/registry` beside `leafid`'
  throw new LeafidError('NOT_ENABLED', message)
}
