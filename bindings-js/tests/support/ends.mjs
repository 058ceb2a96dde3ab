// How what a test file starts comes to its end, whatever becomes of the test that started it: at the latest after the last test
// of the file, and at once where the process of the file ends or dies. Without it a failed assertion leaves a server behind, which
// keeps the event loop turning, or a pipe of the runner open, and the whole run waits for ever.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { leash } from './leash.mjs'

export { leash }

const open = []
const children = new Set()
const folders = new Set()

/** Has `end` called once: by whoever calls what is given back, or after the last test of the file, the last that was opened first. */
export function ending(end) {
  let ended
  const endOnce = async () => (ended ??= end())
  open.push(endOnce)
  return endOnce
}

async function endAll() {
  const wrong = []
  while (open.length > 0) await open.pop()().catch((error) => wrong.push(error))
  if (wrong.length > 0) throw new AggregateError(wrong, wrong.map(({ message }) => message).join('; '))
}

// A bench that starts the same things has no tests to wait for.
if (/\.test\.[cm]?js$/.test(process.argv[1])) after(endAll, { timeout: 240_000 })

process.on('exit', () => {
  for (const child of children) kill(child, child.endsBy)
  for (const folder of folders) {
    try {
      remove(folder)
    } catch (error) {
      console.error(`${folder} stays: ${error.message}`)
    }
  }
})

/**
 * Starts a command that is ended with the file at the latest, by `endsBy`, and with this process. It has pipes of its own: with
 * one of the runner's it would keep the runner waiting for as long as it runs.
 */
export function start([program, ...words], { endsBy = 'SIGKILL', ...options } = {}) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  Object.assign(child, { endsBy, isGroup: options.detached === true })
  children.add(child)
  child.once('exit', () => children.delete(child))
  // Whoever waits for its pipes or its end hears of a program that is not there.
  child.once('error', () => children.delete(child))
  ending(() => stop(child))
  return child
}

/** Starts a program of Node. */
export const startNode = (words, options) => start([...leash(), process.execPath, ...words], options)

/** Ends a child, unless it has ended, and waits until it is gone. */
export async function stop(child, signal = child.endsBy) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  const late = setTimeout(() => kill(child, 'SIGKILL'), 60_000)
  kill(child, signal)
  await gone
  clearTimeout(late)
}

function kill(child, signal) {
  if (!child.isGroup) return child.kill(signal)
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Waits until a child has said this, which must not end where a chunk may; the match. One that does not say it is ended. */
export async function says(child, pattern, ms = 120_000) {
  let late
  let told = ''
  try {
    return await new Promise((resolve, reject) => {
      const hear = (chunk) => {
        told = `${told}${chunk}`.slice(-8_000)
        const found = pattern.exec(told)
        if (found !== null) resolve(found)
      }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', hear)
      child.once('error', reject)
      child.once('close', (code, signal) => reject(new Error(`it ended with ${signal ?? code}: ${told}`)))
      late = setTimeout(() => reject(new Error(`it did not say ${pattern} within ${ms} ms: ${told}`)), ms)
    })
  } catch (error) {
    await stop(child)
    throw error
  } finally {
    clearTimeout(late)
  }
}

/** Waits until it is so; a test that waits in vain fails. */
export async function until(isSo, ms = 120_000) {
  const end = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it did not come to ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const memory = '/dev/shm'
const free = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 }
/** In memory where there is plenty, for a store waits for its disk with each grant. A program may be refused to run from there. */
const roomy = process.env.TMPDIR ?? (free.bavail * free.bsize > 2 ** 30 ? memory : tmpdir())

/** Makes a temporary folder, which goes with the test `t`, or else with the file. */
export function scratch(t, { name = 'leafid-js-', below = roomy } = {}) {
  const folder = mkdtempSync(join(below, name))
  folders.add(folder)
  const end = ending(() => remove(folder))
  t?.after(end)
  return folder
}

/** Removes a temporary folder before that. */
export function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  folders.delete(folder)
}

/** Runs a command to its end, which is bounded: whoever waits for it in the one thread there is hears no other limit. */
export const ran = ([program, ...words], options) => spawnSync(program, words, { encoding: 'utf8', timeout: 300_000, killSignal: 'SIGKILL', ...options })

/** The same of a program of Node. */
export const ranNode = (words, options) => ran([process.execPath, ...words], options)
