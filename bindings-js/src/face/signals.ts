import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

/** The signals of an orchestrator, and of Ctrl-C. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** A `Segment`, a `Snowflake`, or anything else with `close`. */
export interface Closable {
  close(): Promise<unknown>
}

/**
 * Closes generators when the process gets SIGTERM or SIGINT, so that worker numbers are free at once, then ends it by
 * that signal, unless the program listens to the signal itself. Returns a function that undoes this.
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

/** Everything to close, of all calls. */
const toClose = new Set<Closable>()

// Runs as the first listener, while the others can still be counted.
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
