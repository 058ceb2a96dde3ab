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

/** For hosts that come and go by the thousand: short windows, small steps. */
export const briefly: Pick<Host, 'windowMs' | 'maxGrowth'> = { windowMs: 10_000, maxGrowth: 16 }

// Deno throws at a variable that a program may not read: to it the variable is not set.
function setting(name: string): string | undefined {
  try {
    return (globalThis as { process?: Process }).process?.env?.[name]
  } catch {
    return undefined
  }
}

// A timer keeps no process alive: Bun's is an object, Deno's a number.
function unref(timer: unknown): void {
  if (typeof timer === 'object') (timer as { unref?: () => void }).unref?.()
  else (globalThis as { Deno?: { unrefTimer?: (timer: number) => void } }).Deno?.unrefTimer?.(timer as number)
}
