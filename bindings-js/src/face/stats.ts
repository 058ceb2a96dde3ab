import { theEngine, type RawStats } from '../engines/engine.js'

/** What a generator did so far. Counters begin at 0. */
export type Stats = Record<'ids' | 'asks' | 'grants' | 'failures' | 'waits' | 'dropped' | 'gaps' | 'in_hand' | 'step', number> & {
  /** What to add to the host's clock for the store's time, in ms. */
  offset_ms: number
  /** Why the last ask failed, until one succeeds. */
  last_code: string | undefined
  /** Why the state file was abandoned: `STATE_INVALID`; `undefined` while it is kept, or there is none. */
  state_code: string | undefined
  /** What runs the core here: the add-on for this machine, or WebAssembly, at about twice the time per snowflake. */
  engine: 'native' | 'wasm'
}

const NOTHING = {
  ids: 0,
  asks: 0,
  grants: 0,
  failures: 0,
  waits: 0,
  dropped: 0,
  gaps: 0,
  in_hand: 0,
  step: 0,
  offset_ms: 0,
  last_code: undefined,
  state_code: undefined,
}

/** The counters of a generator that was never used. */
export function nothingYet(): Stats {
  return { ...NOTHING, engine: theEngine().kind }
}

/** The engine's counters; IDs in the pool are not handed out yet, and some of them were dropped. */
export function statsOf(raw: RawStats, pooled: number, dropped: number): Stats {
  return {
    ids: Number(raw.ids) - pooled - dropped,
    asks: Number(raw.asks),
    grants: Number(raw.grants),
    failures: Number(raw.failures),
    waits: Number(raw.waits),
    dropped: Number(raw.dropped) + dropped,
    gaps: Number(raw.gaps),
    in_hand: Number(raw.in_hand) + pooled,
    step: Number(raw.step),
    offset_ms: raw.offset_ms,
    last_code: raw.last_code,
    state_code: raw.state_code,
    engine: theEngine().kind,
  }
}
