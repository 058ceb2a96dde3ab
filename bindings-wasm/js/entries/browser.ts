import { useEngine } from '../engine.js'
import * as wasm from '../wasm/leafid.js'

await wasm.default({ module_or_path: new URL('../wasm/leafid_bg.wasm', import.meta.url) })
useEngine(wasm)
export * from '../index.js'
