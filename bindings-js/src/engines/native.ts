import type * as native from '../native/leafid.js'
import { load } from '../hosts/require.js'
import type { Engine, Functions } from './engine.js'
import { inlinedEngine } from './inlined.js'
import { VERSION } from './version.js'

/** The engine for this machine: the native package of this very version where it is installed, else the wasm one. */
export function loadEngine(): Engine {
  const fits = packages().map(installed).find((engine) => engine?.engineVersion() === VERSION)
  return fits ?? inlinedEngine()
}

function packages(): string[] {
  const name = `leafid-${process.platform}-${process.arch}`
  if (process.platform === 'win32') return [`${name}-msvc`]
  return process.platform === 'linux' ? [`${name}-gnu`, `${name}-musl`] : [name]
}

function installed(name: string): Engine | undefined {
  try {
    return { ...((load(name) as typeof native) satisfies Functions), kind: 'native' } as unknown as Engine
  } catch (error) {
    // Not installed, or for another C library.
    if (/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
