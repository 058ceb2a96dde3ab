import { theHost } from '../hosts/host.js'
import { addressOf, type StoreOption } from '../stores/chosen.js'
import { MemoryStore } from '../stores/memory.js'
import { called } from '../values/refusals.js'
import type { Plan } from './handle.js'

/** What draws from one store: how many generators, by what they draw; and of what was warned. */
interface Home {
  counts: Map<string, number>
  warned: Set<string>
}

const byAddress = new Map<string, Home>()
const byObject = new WeakMap<object, Home>()

function homeOf(option: StoreOption | undefined): Home | undefined {
  const address = addressOf(option)
  // A memory store is a test's own, where several generators stand for several processes.
  if (option instanceof MemoryStore || address?.startsWith('memory:') === true) return undefined
  const known = address === undefined ? byObject.get(option as object) : byAddress.get(address)
  const home = known ?? { counts: new Map(), warned: new Set() }
  if (address === undefined) byObject.set(option as object, home)
  else byAddress.set(address, home)
  return home
}

/** Notes a generator that begins to draw, and warns of a second one beside it; returns what notes its end. */
export function opened({ kind, config, subject }: Plan, option: StoreOption | undefined): () => void {
  const home = homeOf(option)
  if (home === undefined) return () => {}
  const { counts, warned } = home
  const { owner } = config as { owner?: string }
  const name = JSON.stringify([kind, subject.name, owner])
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  if (count === 2 && !warned.has(name)) {
    warned.add(name)
    const each = kind === 'segment' ? 'a range of its own' : 'a worker number of its own until its window ends'
    const cure = 'make one where the program starts and share it, and close those that are done'
    theHost().warn(`2 generators in this process draw from the ${called(subject)} of one store, and each leases ${each}: ${cure}`, 'LEAFID_MANY_GENERATORS')
  }
  return () => {
    const left = (counts.get(name) ?? 1) - 1
    if (left > 0) counts.set(name, left)
    else counts.delete(name)
  }
}
