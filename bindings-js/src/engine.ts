/** What an engine (the native one or the wasm one) brings. */
export interface Engine {
  /** The engine's version; equal to the package's. */
  engineVersion(): string
}

let engine: Engine | undefined

/** Called once by the entry that the host's condition chose. */
export function useEngine(chosen: Engine): void {
  engine = chosen
}

/** The engine in use. */
export function theEngine(): Engine {
  if (engine === undefined) throw new Error('no engine: import `leafid`, not one of its files')
  return engine
}
