// Ends what a test file starts, even if a test fails: after the file's last test, and at once if the file's process
// ends or dies. Else a failed assertion leaves a server behind, which keeps the event loop, or a pipe of the runner,
// open, and the whole run waits for ever.
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

/** Calls `end` once: by the returned function, or after the file's last test, in reverse order. */
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

// A bench that uses this has no tests to wait for.
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
 * Starts a command that ends with the file at the latest, by `endsBy`, and with this process. It has its own pipes:
 * with one of the runner's, it would keep the runner waiting.
 */
export function start([program, ...words], { endsBy = 'SIGKILL', ...options } = {}) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  Object.assign(child, { endsBy, isGroup: options.detached === true })
  children.add(child)
  child.once('exit', () => children.delete(child))
  // The waits for its pipes or its end report a missing program.
  child.once('error', () => children.delete(child))
  ending(() => stop(child))
  return child
}

/** Starts a Node program. */
export const startNode = (words, options) => start([...leash(), process.execPath, ...words], options)

/** Ends a child if it still runs, and waits until it is gone. */
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

/** Waits for a child's output, which must not end where a chunk may; returns the match. A late child is ended. */
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

/** Waits until the condition holds; fails after `ms`. */
export async function until(isSo, ms = 120_000) {
  const end = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it did not come to ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const memory = '/dev/shm'
const free = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 }
/** In memory if there is plenty: a store waits for its disk with each grant. The system may forbid programs there. */
const roomy = process.env.TMPDIR ?? (free.bavail * free.bsize > 2 ** 30 ? memory : tmpdir())

/** Makes a temporary folder, removed after the test `t`, or after the file. */
export function scratch(t, { name = 'leafid-js-', below = roomy } = {}) {
  const folder = mkdtempSync(join(below, name))
  folders.add(folder)
  const end = ending(() => remove(folder))
  t?.after(end)
  return folder
}

/** Removes a temporary folder earlier. */
export function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  folders.delete(folder)
}

/** Runs a command to its end, with a limit: the call blocks the one thread, so no other limit works. */
export const ran = ([program, ...words], options) => spawnSync(program, words, { encoding: 'utf8', timeout: 300_000, killSignal: 'SIGKILL', ...options })

/** Runs a Node program to its end. */
export const ranNode = (words, options) => ran([process.execPath, ...words], options)
