// Plays the script of `tests/verbs` over a new file: `SCRIPT FILE`. Prints what the store does otherwise.
import './sqlite.mjs'
import { readFileSync } from 'node:fs'

const { replayed } = await import('./filed.mjs')
const [script, path] = process.argv.slice(2)
const { wrong } = await replayed(path, { scripts: [JSON.parse(readFileSync(script, 'utf8'))] })
process.stdout.write(wrong.join('\n'))
