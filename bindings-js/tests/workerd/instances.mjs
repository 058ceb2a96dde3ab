// Imported before the package: sees the wasm instances, and can break the engine's.
const { Instance } = WebAssembly
let engine

WebAssembly.Instance = class extends Instance {
  constructor(...given) {
    super(...given)
    if ('fillAvailable' in this.exports) engine = this.exports
  }
}

/** Overwrites the engine's memory, so that every call traps; returns the error's name. */
export function broken() {
  new Uint8Array(engine.memory.buffer).fill(0xff)
  try {
    engine.most(1)
    return []
  } catch (error) {
    return [error.name]
  }
}
