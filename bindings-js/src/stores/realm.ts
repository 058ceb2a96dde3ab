import type { Store } from './store.js'

/** What all copies of the package in a realm share: a program may load it both as modules and as CommonJS. */
interface Realm {
  /** The stores in memory. */
  memories: WeakSet<object>
  /** Weak references to functions, each of which restarts a generator on the store that counts now. */
  generators: Set<WeakRef<() => void>>
  /** The store of the running test, in place of all others but those in memory. */
  test?: Store | undefined
}

const KEY: unique symbol = Symbol.for('leafid') as never

export const realm: Realm = ((globalThis as { [KEY]?: Realm })[KEY] ??= { memories: new WeakSet(), generators: new Set() })

// Workers with an early compatibility date have neither this nor weak references.
const gone = typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<WeakRef<() => void>>((ref) => realm.generators.delete(ref))

/** Registers the function that restarts a generator, for `isolated()` to call; the generator can still be collected. */
export function enlist(again: () => void): void {
  if (gone === undefined) return
  const ref = new WeakRef(again)
  realm.generators.add(ref)
  gone.register(again, ref)
}
