// Finds the engine for this machine: the native package where one is installed, the wasm one elsewhere.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Engine } from './engine.js'
import * as wasm from './wasm/leafid.js'

/** What each engine has to bring; their generated types know plain objects only. */
type Functions = Record<Exclude<keyof Engine, 'rebuild'>, unknown>

const require = createRequire(import.meta.url)

export function loadEngine(): Engine {
  try {
    return (require(`leafid-${platform()}`) satisfies Functions) as Engine
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
  }
  wasm.initSync({ module: readFileSync(new URL('./wasm/leafid_bg.wasm', import.meta.url)) })
  return { ...(wasm satisfies Functions), rebuild: wasm.__wbg_reset_state } as unknown as Engine
}

function platform(): string {
  const { arch, platform } = process
  if (platform !== 'linux') return `${platform}-${arch}`
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return `linux-${arch}-${report.header?.glibcVersionRuntime === undefined ? 'musl' : 'gnu'}`
}
