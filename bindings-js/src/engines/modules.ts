/** Compiles a wasm module inlined as text: no file to find, nothing to await. */
export function inlined(text: string): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
}

/** Loads a wasm module from its file or, if a bundler left that behind, from the inlined copy. */
export async function fetched(file: URL, copy: () => Promise<{ WASM: string }>): Promise<WebAssembly.Module> {
  try {
    const response = await fetch(file)
    return await WebAssembly.compile(await response.arrayBuffer())
  } catch {
    return inlined((await copy()).WASM)
  }
}
