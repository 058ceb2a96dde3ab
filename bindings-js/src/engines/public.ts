import { Border, isTrap, type Calls, type Raw } from './border.js'
import { compiled, type Wasm } from './modules.js'

export interface Problem {
  code: string
  message: string
}

/** Each tells its result, or `CODE problem`. `load` takes the parcels key, tag and prefix, the others a text. */
type Exports = Raw & Calls<'load' | 'encode' | 'decode' | 'scramble' | 'unscramble' | 'digits' | 'parse'>

export type PublicIds = ReturnType<typeof publicIdsOf>
export type PublicScrambler = Exclude<ReturnType<PublicIds['scrambler']>, Problem>

let file: Wasm
let publicIds: PublicIds | undefined

/** Called once, by the start module. */
export function usePublicIds(wasm: Wasm): void {
  file = wasm
}

/** Public IDs; compiles at first use. */
export function thePublicIds(): PublicIds {
  return (publicIds ??= publicIdsOf(file))
}

function publicIdsOf(wasm: Wasm) {
  const border = new Border<Exports>(compiled(wasm))
  // The wasm file holds one scrambler at a time: another one is loaded before its use.
  let loaded: object | undefined

  function told<T>(call: (wasm: Exports) => void, ...parcels: (string | Uint8Array)[]): T | Problem {
    try {
      const said = border.told(() => {
        for (const parcel of parcels) border.send(parcel)
        call(border.wasm)
      })
      return wrong(said) ?? (said as T)
    } catch (error) {
      if (isTrap(error)) {
        loaded = undefined
        border.build()
      }
      throw error
    }
  }

  return {
    scrambler(key: Uint8Array, tag: string, prefix: string | undefined, isBase62: boolean) {
      // A copy: the caller may overwrite its array.
      const kept = key.slice()
      const load = () => told<undefined>((wasm) => wasm.load(Number(isBase62), Number(prefix !== undefined)), kept, tag, prefix ?? '')
      const using = <T>(call: (wasm: Exports) => void, ...parcels: string[]): T | Problem => {
        if (loaded !== own) load()
        loaded = own
        return told<T>(call, ...parcels)
      }
      const own = {
        encode: (id: bigint) => using<string>((wasm) => wasm.encode(id)),
        decode: (text: string) => using<bigint>((wasm) => wasm.decode(), text),
        scramble: (id: bigint) => using<bigint>((wasm) => wasm.scramble(id)),
        unscramble: (number: bigint) => using<bigint>((wasm) => wasm.unscramble(number)),
      }
      loaded = undefined
      return load() ?? own
    },
    digits: (isBase62: boolean, id: bigint) => told<string>((wasm) => wasm.digits(Number(isBase62), id)),
    parse: (isBase62: boolean, text: string) => told<bigint>((wasm) => wasm.parse(Number(isBase62)), text),
  }
}

/** A result with a space is a problem: no encoded text has one. */
function wrong(said: unknown): Problem | undefined {
  const at = typeof said === 'string' ? said.indexOf(' ') : -1
  return at < 0 ? undefined : { code: (said as string).slice(0, at), message: (said as string).slice(at + 1) }
}
