import type { Engine } from './engine.js'
import * as wasm from './wasm/leafid.js'

/** What the engine has to bring; its generated types know plain objects only. */
type Functions = Record<Exclude<keyof Engine, 'rebuild'>, unknown>

/** The wasm engine, once its module is instantiated. */
export const wasmEngine = { ...(wasm satisfies Functions), rebuild: wasm.__wbg_reset_state } as unknown as Engine
