/** A wasm module from its text within the code: no file to find, and nothing to wait for. */
export function inlined(text: string): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
}

/** A wasm module from its file; or, where a bundler left that behind, from the copy within the code. */
export async function fetched(file: URL, copy: () => Promise<{ WASM: string }>): Promise<WebAssembly.Module> {
  try {
    const response = await fetch(file)
    return await WebAssembly.compile(await response.arrayBuffer())
  } catch {
    return inlined((await copy()).WASM)
  }
}
