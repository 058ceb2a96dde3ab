import type * as native from '../native/leafid.js'
import { load } from '../hosts/require.js'
import type { Engine, Functions, StateFiles } from './engine.js'
import { inlinedEngine } from './inlined.js'
import { inlinedStores } from './inlined-stores.js'
import type { Registry } from './registry.js'
import { VERSION } from './version.js'

interface Loaded {
  engine: Engine
  registry: () => Registry
}

/** The engine for this machine: the native package of this very version where it is installed, else the wasm one. */
export function loadEngine(): Loaded {
  const fits = packages().map(installed).find((loaded) => loaded?.engine.engineVersion() === VERSION)
  return fits ?? { engine: inlinedEngine(), registry: inlinedStores }
}

/** The packages that may have the native engine for this machine. */
export function packages(): string[] {
  const name = `leafid-${process.platform}-${process.arch}`
  if (process.platform === 'win32') return [`${name}-msvc`]
  return process.platform === 'linux' ? [`${name}-gnu`, `${name}-musl`] : [name]
}

function installed(name: string): Loaded | undefined {
  try {
    const both = (load(name) as typeof native) satisfies Functions<Engine> & Functions<Registry>
    const engine = { ...both, kind: 'native', state: both satisfies StateFiles } as unknown as Engine
    return { engine, registry: () => both }
  } catch (error) {
    // Not installed, or for another C library.
    if (/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
