import type { Wasm } from './modules.js'

/** In Node, Deno and Bun in place of `modules.ts`: base64, which their own code decodes in no time. */
export function compiled(wasm: Wasm): WebAssembly.Module {
  return typeof wasm === 'string' ? new WebAssembly.Module(Buffer.from(wasm, 'base64')) : wasm
}
