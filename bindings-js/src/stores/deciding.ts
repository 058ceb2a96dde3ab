import { theRegistry, type Decide } from '../engines/registry.js'
import { LeafidError } from '../values/errors.js'

/** The registry; `NOT_ENABLED` if no entry loaded it. */
export function deciding(): Decide {
  const decide = theRegistry()
  if (decide !== undefined) return decide
  const message = '`memory:` and stores of your own need `leafid/registry`, which a Worker or a page loads only if it is imported: add `import \'leafid/registry\'`'
  throw new LeafidError('NOT_ENABLED', message)
}
