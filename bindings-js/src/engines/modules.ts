/** A wasm file: as text, or as a module that the runtime has compiled, as a Worker must have it. */
export type Wasm = string | WebAssembly.Module

/** Characters that a bundler or a page would have to escape. */
const UNUSED = '"\'<\\`'

/**
 * Compiles a wasm file, which waits for nothing and requests nothing.
 *
 * Its text has one printable character for each of the file's 87 commonest bytes, with which it begins, and two for the
 * others. So what repeats in the file repeats in the text: after gzip it is as small as the file, where base64 would
 * be a quarter larger.
 */
export function compiled(wasm: Wasm): WebAssembly.Module {
  if (typeof wasm !== 'string') return wasm
  const digits = new Uint8Array(127)
  for (let char = 33, digit = 0; char < 127; char++) if (!UNUSED.includes(String.fromCharCode(char))) digits[char] = digit++
  const places = new Uint8Array(wasm.length)
  let length = 0
  let high = 0
  for (let at = 0; at < wasm.length; at++) {
    const digit = digits[wasm.charCodeAt(at)]!
    if (digit > 86) high = (digit - 86) * 87
    else {
      places[length++] = high + digit
      high = 0
    }
  }
  const bytes = Uint8Array.from(new Set([...places.subarray(0, 87), ...Array(256).keys()]))
  for (let at = 87; at < length; at++) places[at] = bytes[places[at]!]!
  return new WebAssembly.Module(places.subarray(87, length))
}
