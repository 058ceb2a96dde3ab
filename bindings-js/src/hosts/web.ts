import type { Host } from './host.js'

interface Process {
  env?: Record<string, string | undefined>
}

/** Browsers, Deno and Bun: timers may run at any time. */
export const webHost: Host = {
  clock: () => performance.now(),
  wall: () => Date.now(),
  ticking: () => performance.now(),
  owner: () => 'edge',
  setting,
  warn: (message) => console.warn(`leafid: ${message}`),
  keep: () => {},
  later: (ms, act) => {
    const timer = setTimeout(act, ms)
    unref(timer)
    return () => clearTimeout(timer)
  },
  sharesPromises: true,
}

/** For short-lived hosts in thousands: short windows, small steps. */
export const briefly: Pick<Host, 'windowMs' | 'maxGrowth'> = { windowMs: 10_000, maxGrowth: 16 }

// Deno throws for a variable without permission: treated as not set.
function setting(name: string): string | undefined {
  try {
    return (globalThis as { process?: Process }).process?.env?.[name]
  } catch {
    return undefined
  }
}

// Keeps a timer from holding the process: Bun's is an object, Deno's a number.
function unref(timer: unknown): void {
  if (typeof timer === 'object') (timer as { unref?: () => void }).unref?.()
  else (globalThis as { Deno?: { unrefTimer?: (timer: number) => void } }).Deno?.unrefTimer?.(timer as number)
}
