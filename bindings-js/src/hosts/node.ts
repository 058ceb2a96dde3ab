import { hostname, uptime } from 'node:os'
import type { Host } from './host.js'

/** Node: promises, and timers that keep no process alive. */
export const nodeHost: Host = {
  clock: () => performance.now(),
  wall: () => Date.now(),
  ticking: () => uptime() * 1_000,
  owner: () => `${hostname().slice(0, 100) || 'node'}/${process.pid}`,
  setting: (name) => process.env[name],
  warn: (message, code) => process.emitWarning(message, { type: 'LeafidWarning', code }),
  keep: () => {},
  later: (ms, act) => {
    const timer = setTimeout(act, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
  sharesPromises: true,
}
