import type { Host } from './host.js'

/** For short-lived hosts in thousands: short windows, small steps. */
export const briefly: Pick<Host, 'windowMs' | 'maxGrowth'> = { windowMs: 10_000, maxGrowth: 16 }

/** Browsers: timers may run at any time. */
export const webHost: Host = {
  clock: () => performance.now(),
  wall: () => Date.now(),
  ticking: () => performance.now(),
  owner: () => 'edge',
  setting: (name) => (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name],
  warn: (message) => console.warn(`leafid: ${message}`),
  keep: () => {},
  later: (ms, act) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
  sharesPromises: true,
  ...briefly,
}
