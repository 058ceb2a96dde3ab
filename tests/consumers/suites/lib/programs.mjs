// Runs programs and reads their output.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leash, scratch } from '../../js/support/ends.mjs'

/** The folder with the installed `node_modules`, and `apps`. */
export const root = join(import.meta.dirname, '../..')
export const app = (name) => join(root, 'apps', name)
/** A folder for the programs' files, removed when the test file ends. */
const temporary = scratch(undefined, { name: 'leafid-programs-' })

/** Runs a program to its end; gives its output, or throws an error with all output. */
export async function run(program, words, { env = {}, cwd = root } = {}) {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...clean } = process.env
  try {
    const [first, ...more] = [...leash(), program, ...words]
    return await promisify(execFile)(first, more, { cwd, env: { ...clean, TMPDIR: temporary, ...env }, timeout: 600_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 })
  } catch (error) {
    throw new Error(`${program} ${words.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`)
  }
}

/** Runs a program whose only output must be one line of JSON. */
export async function report(program, words, options) {
  const { stdout, stderr } = await run(program, words, options)
  if (stderr !== '') throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}
