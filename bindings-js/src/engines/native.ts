import type * as native from '../native/leafid.js'
import { load } from '../hosts/require.js'
import type { StateFiles } from './engine.js'
import { VERSION } from './version.js'

/** State files, from the native package for this machine; `undefined` if it is not installed in this very version. */
export function stateFiles(): StateFiles | undefined {
  return packages().map(installed).find((files) => files?.version() === VERSION) satisfies StateFiles | undefined
}

/** Names of packages that may contain the add-on for this machine: state files exist on Linux only. */
export function packages(): string[] {
  return process.platform === 'linux' ? ['gnu', 'musl'].map((libc) => `leafid-linux-${process.arch}-${libc}`) : []
}

function installed(name: string): typeof native | undefined {
  try {
    return load(name) as typeof native
  } catch (error) {
    // Not installed, or for another C library.
    if (/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
