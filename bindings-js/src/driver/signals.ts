/** Whom each signal ends: it has one listener, however many wait, for Node warns of a leak from the eleventh on. */
const waiting = new WeakMap<AbortSignal, Ended>()

interface Ended {
  readonly stops: Set<() => void>
  readonly hear: () => void
}

/** Calls `stop` when the signal is aborted; returns what takes this back. */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const { stops, hear } = waiting.get(signal) ?? listening(signal)
  stops.add(stop)
  return () => {
    stops.delete(stop)
    if (stops.size > 0) return
    signal.removeEventListener('abort', hear)
    waiting.delete(signal)
  }
}

/** What a caller rejects with whose signal is aborted. */
export function reasonOf(signal: AbortSignal): unknown {
  // A signal of an older library has none.
  return signal.reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : signal.reason
}

function listening(signal: AbortSignal): Ended {
  const stops = new Set<() => void>()
  const hear = () => {
    for (const stop of stops) stop()
  }
  signal.addEventListener('abort', hear)
  const ended = { stops, hear }
  waiting.set(signal, ended)
  return ended
}
