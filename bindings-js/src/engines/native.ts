import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as native from '../native/leafid.js'
import type { Engine, Functions } from './engine.js'
import { instantiateSync, wasmEngine } from './wasm.js'

const require = createRequire(import.meta.url)

/** The engine for this machine: the native package of this very version where it is installed, else the wasm one. */
export function loadEngine(): Engine {
  const { version } = require('../package.json') as { version: string }
  const fits = packages().map(installed).find((engine) => engine?.engineVersion() === version)
  if (fits !== undefined) return fits
  instantiateSync({ module: readFileSync(new URL('../wasm/leafid_bg.wasm', import.meta.url)) })
  return wasmEngine
}

function packages(): string[] {
  const name = `leafid-${process.platform}-${process.arch}`
  return process.platform === 'linux' ? [`${name}-gnu`, `${name}-musl`] : [name]
}

function installed(name: string): Engine | undefined {
  try {
    return ((require(name) as typeof native) satisfies Functions) as unknown as Engine
  } catch (error) {
    // Not installed, or for another C library.
    if (/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
