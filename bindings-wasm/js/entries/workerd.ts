import { useEngine } from '../engine.js'
import * as wasm from '../wasm/leafid.js'
// @ts-expect-error the runtime compiles the module when it loads the worker
import module from '../wasm/leafid_bg.wasm'

wasm.initSync({ module: module as WebAssembly.Module })
useEngine(wasm)
export * from '../index.js'
