import { isTrap } from './border.js'
import type { wasmEngine } from './wasm.js'

export { respelled, withRespelled } from './spelling.js'
export { VERSION } from './version.js'
export { ASK_IS_DUE } from './wasm.js'
export type { Carryover, CodeFacts, RawStats, Refused, Stance, Verdict } from './wasm.js'

/** The result of a verb of state files: a problem with its `code`, a warning without one, or nothing. */
export interface StateTold {
  code?: string
  message?: string
  /** The message of a failed write, with what follows if the file is abandoned. */
  abandoned?: string
  /** The right in a file that was opened. */
  right?: Uint8Array
  /** The absolute path of a journal's folder, or what it knows of the rows that a note is about. */
  text?: string
}

/** State files, by a generator's handle: the native add-on of Node. */
export interface StateFiles {
  /** Makes a path absolute, so that a change of the working directory does not matter; `null` for an invalid one. */
  absolute(path: string): string | null
  open(handle: number, path: string, namespace: string): StateTold
  /** Empties a file that was just opened, as its right is another generator's. */
  refuse(handle: number): StateTold
  /** Begins a write in the thread pool. */
  begin(handle: number, write: Uint8Array): Promise<void> | null
  /** Makes the write synchronously, unless the thread pool has; tells its problem. `null` if none was begun. */
  finish(handle: number): StateTold | null
  close(handle: number): void
  /** Checks a folder for journals. */
  journal(folder: string): StateTold
  /** Notes changes of a store in the thread pool; tells a `text` if they begin below what was noted. */
  note(folder: string, store: string, changes: string): Promise<StateTold>
}

/** The engine; in Node with what loads the add-on for state files, if that is installed. */
export type Engine = ReturnType<typeof wasmEngine> & { stateFiles?(): StateFiles | undefined }

let make: () => Engine
let engine: Engine | undefined
let builds = 0

/** Called by the start module of this runtime. */
export function useEngine(made: () => Engine): void {
  make = made
}

/** The engine, which is made at its first use: an import costs no compilation. */
export function theEngine(): Engine {
  return (engine ??= make())
}

/** How often the engine was rebuilt: handles of earlier builds are invalid. */
export function engineBuilds(): number {
  return builds
}

/**
 * Handles an error of the engine: rebuilds an instance that trapped (no memory, no stack), since its state may be half
 * changed; rethrows anything else.
 */
export function recoverEngine(error: unknown): void {
  if (!isTrap(error)) throw error
  theEngine().rebuild()
  builds += 1
}
