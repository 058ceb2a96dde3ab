// Runs programs that draw, and may be killed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startNode } from './ends.mjs'

/** The program that draws. */
export const drawer = fileURLToPath(new URL('./store-drawer.mjs', import.meta.url))
const PARTS = { process: 1, threads: 3, cluster: 3 }

/** Passes each whole line of a program's output to `hear`; returns how it ended, and its errors. */
export async function lines(child, hear) {
  let told = ''
  child.stderr.on('data', (chunk) => (told += chunk))
  const closed = once(child, 'close')
  for await (const line of createInterface(child.stdout)) if (line.endsWith(';')) hear(line)
  const [code, signal] = await closed
  return { told, code, signal }
}

/** Draws `count` IDs in a program of its own into `seen`; killed with -9 after `killAt` of them. */
export async function drawn(place, kind, count, seen, { form = 'process', killAt = Number.POSITIVE_INFINITY, heard = () => {} } = {}) {
  const stays = Number.isFinite(killAt) ? 'holds' : 'ends'
  const child = startNode([drawer, place, kind, String(count), form, stays])
  let got = 0
  const { told, code, signal } = await lines(child, (line) => {
    seen.push(`${kind === 'snowflake' ? 's' : ''}${line}`)
    got += 1
    heard(got)
    if (got === killAt) child.kill('SIGKILL')
  })
  if (stays === 'ends') assert.deepEqual([code, got], [0, count * PARTS[form]], told)
  else assert.equal(signal, 'SIGKILL', told)
}

/** Counts duplicates, and prints the count. */
export function duplicates(what, seen) {
  const found = seen.length - new Set(seen).size
  console.log(`${what} ${seen.length} IDs, ${found} duplicates`)
  return found
}
