// What the build makes of an import of a wasm file: its text, or in a Worker the module.
declare module '*.wasm' {
  const wasm: string | WebAssembly.Module
  export default wasm
}
