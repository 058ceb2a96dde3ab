import type * as native from '../native/leafid.js'
import { load } from '../hosts/require.js'
import type { Engine, Functions, StateFiles } from './engine.js'
import { inlinedEngine } from './inlined.js'
import { VERSION } from './version.js'

/** The engine for this machine: the native package if it is installed in this very version, else wasm. */
export function loadEngine(): Engine {
  return packages().map(installed).find((engine) => engine?.engineVersion() === VERSION) ?? inlinedEngine()
}

/** Names of packages that may contain the native engine for this machine. */
export function packages(): string[] {
  const name = `leafid-${process.platform}-${process.arch}`
  if (process.platform === 'win32') return [`${name}-msvc`]
  return process.platform === 'linux' ? [`${name}-gnu`, `${name}-musl`] : [name]
}

function installed(name: string): Engine | undefined {
  try {
    const engine = (load(name) as typeof native) satisfies Functions
    return { ...engine, kind: 'native', state: engine satisfies StateFiles } as unknown as Engine
  } catch (error) {
    // Not installed, or for another C library.
    if (/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
