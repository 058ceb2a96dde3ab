// Makes the core module of the first argument a component, in the file of the second, and prints its WIT.
import { readFileSync, writeFileSync } from 'node:fs'
import { componentNew, componentWit } from '@bytecodealliance/jco-transpile/wasm-tools'

const [core, file] = process.argv.slice(1)
const whole = await componentNew(readFileSync(core), [])
// Sections of the kind 0 are names and who made it: nobody reads them. A length is LEB128.
const kept = [whole.subarray(0, 8)]
for (let begin = 8; begin < whole.length;) {
  let end = begin + 1
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = whole[end++]
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  end += length
  if (whole[begin] !== 0) kept.push(whole.subarray(begin, end))
  begin = end
}
writeFileSync(file, Buffer.concat(kept))
console.log(await componentWit(readFileSync(file)))
