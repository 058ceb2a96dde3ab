import { theEngine, type StateFiles, type StateTold } from '../engines/engine.js'
import { theHost } from '../hosts/host.js'
import { LeafidError } from '../values/errors.js'
import type { StateFile } from './handle.js'

/** The state file at a path, for a generator of this namespace. */
export function stateFile(files: StateFiles, path: string, namespace: string, clock: () => number): StateFile {
  const opened = (handle: number, { code, message }: StateTold) => {
    if (code !== undefined && code !== 'STATE_LOCKED') {
      theEngine().free(handle)
      throw new LeafidError(code, message ?? code)
    }
    if (message !== undefined) theHost().warn(message, 'LEAFID_STATE')
    return code === undefined
  }
  return {
    files,
    open(handle) {
      const now = clock()
      const told = files.open(handle, path, namespace)
      if (!opened(handle, told)) return false
      const { right = new Uint8Array() } = told
      if (!theEngine().keep(handle, right, now)) return right.length > 0
      if (opened(handle, files.refuse(handle))) theEngine().keep(handle, new Uint8Array(), now)
      return false
    },
  }
}
