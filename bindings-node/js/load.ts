// Finds the engine for this machine: the native package where one is installed, the wasm one elsewhere.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Engine } from './engine.js'
import * as wasm from './wasm/leafid.js'

/** What each engine has to bring; their generated types know plain objects only. */
type Functions = Record<Exclude<keyof Engine, 'rebuild'>, unknown>

const require = createRequire(import.meta.url)

export function loadEngine(): Engine {
  const { version } = require('./package.json') as { version: string }
  const native = candidates().map(installed)
  const fits = native.find((engine) => engine?.engineVersion() === version)
  if (fits !== undefined) return fits
  wasm.initSync({ module: readFileSync(new URL('./wasm/leafid_bg.wasm', import.meta.url)) })
  return { ...(wasm satisfies Functions), rebuild: wasm.__wbg_reset_state } as unknown as Engine
}

function candidates(): string[] {
  const name = `leafid-${process.platform}-${process.arch}`
  return process.platform === 'linux' ? [`${name}-gnu`, `${name}-musl`] : [name]
}

function installed(name: string): Engine | undefined {
  try {
    return (require(name) satisfies Functions) as Engine
  } catch (error) {
    // Not installed, or for another C library.
    if (/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
