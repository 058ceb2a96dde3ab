// Browsers, and whatever has no condition of its own.
import { useEngine, type Engine } from '../engines/engine.js'
import { instantiate, wasmEngine } from '../engines/wasm.js'
import { useHost } from '../hosts/host.js'
import { briefly, webHost } from '../hosts/web.js'

/** The engine from its file; or, where a bundler left that behind, from the copy that stands in the code. */
async function loaded(): Promise<Engine> {
  try {
    await instantiate({ module_or_path: new URL('../wasm/leafid_bg.wasm', import.meta.url) })
    return wasmEngine
  } catch {
    const { inlinedEngine } = await import('../engines/inlined.js')
    return inlinedEngine()
  }
}

useEngine(await loaded())
useHost({ ...webHost, ...briefly })
