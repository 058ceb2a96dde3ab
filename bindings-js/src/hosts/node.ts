import { hostname, uptime } from 'node:os'
import { resolve } from 'node:path'
import type { Host } from './host.js'
import { unreached } from './unreached.js'

/** The folder of the import: a relative path in the environment means a file there. */
const FOLDER = allowed(() => process.cwd(), '')

/** Node, and Deno and Bun, which have its modules: promises, and timers that keep no process alive. */
export const nodeHost: Host = {
  clock: () => performance.now(),
  wall: () => Date.now(),
  ticking: () => allowed(uptime, performance.now() / 1_000) * 1_000,
  owner: () => `${allowed(hostname, '').slice(0, 100) || 'node'}/${process.pid}`,
  setting: (name) => allowed(() => process.env[name], undefined),
  absolute: (address, isSetting) => address.replace(/^sqlite:(.+)/s, (_, path: string) => `sqlite:${resolve(isSetting ? FOLDER : '', path)}`),
  warn: (message, code) => process.emitWarning(message, { type: 'LeafidWarning', code }),
  keep: () => {},
  later: (ms, act) => {
    const timer = setTimeout(act, ms)
    unref(timer)
    return () => clearTimeout(timer)
  },
  sharesPromises: true,
  unreached,
}

/** What the system tells, or this: Deno throws where the program has no permission. */
function allowed<T>(told: () => T, instead: T): T {
  try {
    return told()
  } catch {
    return instead
  }
}

/** Keeps a timer from holding the process: Deno's is a number. */
function unref(timer: unknown): void {
  if (typeof timer === 'object') (timer as NodeJS.Timeout).unref()
  else (globalThis as { Deno?: { unrefTimer(timer: number): void } }).Deno?.unrefTimer(timer as number)
}
