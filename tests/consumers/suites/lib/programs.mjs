// Programs that are started, and what they print.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leash, scratch } from '../../js/support/ends.mjs'

/** Where the programs are installed: `node_modules` is here, and so are `apps`. */
export const root = join(import.meta.dirname, '../..')
export const app = (name) => join(root, 'apps', name)
/** What they put away goes with the file of tests. */
const temporary = scratch(undefined, { name: 'leafid-programs-' })

/** Runs a program to its end; what it printed, or an error with all that it said. */
export async function run(program, words, { env = {}, cwd = root } = {}) {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...clean } = process.env
  try {
    const [first, ...more] = [...leash(), program, ...words]
    return await promisify(execFile)(first, more, { cwd, env: { ...clean, TMPDIR: temporary, ...env }, timeout: 600_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 })
  } catch (error) {
    throw new Error(`${program} ${words.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`)
  }
}

/** Runs a program that ends with one line of JSON; nothing else may be said. */
export async function report(program, words, options) {
  const { stdout, stderr } = await run(program, words, options)
  if (stderr !== '') throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}
