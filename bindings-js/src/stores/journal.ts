import { theEngine, type StateFiles } from '../engines/engine.js'
import { theHost } from '../hosts/host.js'
import { LeafidError } from '../values/errors.js'
import { shown } from '../values/shown.js'

/** What a request changed or was granted, as the engine tells it, and the id of the store. */
export interface Changes {
  store: string
  text: string
}

/** Where the processes of a machine note what they were granted by stores that they open themselves. */
export interface Journal {
  /** Notes it before it is told; gives what `raise` takes if that has to be decided again. */
  note(changes: Changes): Promise<string | undefined>
  /** Warns that rows of a store were raised. */
  raised(store: string, rows: number): void
}

/** The native package, for an option that needs it; `NOT_ENABLED` where there is none. */
export function filesFor(option: string): StateFiles {
  const files = theEngine().stateFiles?.()
  if (files !== undefined) return files
  const { nativePackage: wanted } = theHost()
  const cure = wanted === undefined ? 'there are none here: leave it out' : `its package is not installed: npm install ${wanted}`
  throw new LeafidError('NOT_ENABLED', `\`${option}\` needs an engine with files, and ${cure}`)
}

/** The journal in a folder, by default that of `LEAFID_JOURNAL`, if that is set. `STATE_INVALID` if it is no folder. */
export function journalIn(given: string | undefined): Journal | undefined {
  const wanted = given ?? theHost().setting('LEAFID_JOURNAL') ?? ''
  if (wanted === '') return undefined
  if (typeof wanted !== 'string') throw new LeafidError('REQUEST_INVALID', `\`journal\` must be the path of a folder, got ${shown(wanted)}`)
  const files = filesFor('journal')
  const { code, message, text: folder } = files.journal(wanted)
  if (code !== undefined) throw new LeafidError(code, message!)
  // In the order in which the requests were written: one that is noted late is decided again.
  let line: Promise<unknown> = Promise.resolve()
  return {
    async note({ store, text }) {
      const noted = line.then(() => files.note(folder!, store, text))
      line = noted
      const { code, message, text: known } = await noted
      if (code !== undefined) throw new LeafidError(code, message!)
      return known
    },
    raised(store, rows) {
      const message = `store ${store} lacks what this machine was granted, as after a restore; ${rows} of its rows were raised to the journal in ${folder!}, and nothing is granted twice`
      if (rows > 0) theHost().warn(message, 'STORE_WENT_BACK')
    },
  }
}
