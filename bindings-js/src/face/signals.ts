import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

/** What ends a program from outside: an orchestrator, and Ctrl-C. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** What can be closed: a `Segment` or a `Snowflake`. */
export interface Closable {
  close(): Promise<unknown>
}

/**
 * Closes generators when the process is told to end, so that worker numbers are free at once, and then lets it end by that
 * signal; where the program listens to it as well, ending is left to the program. Returns what takes this back.
 */
export function closeOnSignal(...generators: readonly Closable[]): () => void {
  const others = generators.filter((one) => typeof (one as Partial<Closable> | null | undefined)?.close !== 'function')
  if (generators.length === 0 || others.length > 0) {
    throw new LeafidError('REQUEST_INVALID', `closeOnSignal expects generators, got ${others.length === 0 ? 'none' : shown(others[0])}`)
  }
  if (toClose.size === 0) for (const signal of SIGNALS) process.prependListener(signal, end)
  for (const one of generators) toClose.add(one)
  return () => {
    for (const one of generators) toClose.delete(one)
    if (toClose.size === 0) stopListening()
  }
}

/** All that is closed then, by whichever call. */
const toClose = new Set<Closable>()

// It is called first, while whoever else listens can still be seen.
async function end(signal: NodeJS.Signals): Promise<void> {
  const isAlone = process.listenerCount(signal) === 1
  const all = [...toClose]
  toClose.clear()
  stopListening()
  await Promise.allSettled(all.map((one) => one.close()))
  if (isAlone) process.kill(process.pid, signal)
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, end)
}
