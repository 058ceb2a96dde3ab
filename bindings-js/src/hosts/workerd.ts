import * as cloudflare from 'cloudflare:workers'
import type { Host } from './host.js'
import { briefly } from './web.js'

/**
 * Workers: nothing runs between requests, so each request asks for itself; an ask that outlives its request goes on
 * under `waitUntil`. The clock moves only after I/O.
 */
export const workerdHost: Host = {
  clock: () => Date.now(),
  wall: () => Date.now(),
  ticking: () => Date.now(),
  owner: () => 'edge',
  setting: (name) => {
    const bound = cloudflare.env?.[name]
    return typeof bound === 'string' ? bound : globalThis.process?.env?.[name]
  },
  warn: (message) => console.warn(`leafid: ${message}`),
  keep: (work) => {
    try {
      cloudflare.waitUntil?.(work)
    } catch {
      // Outside a request there is nothing to outlive.
    }
  },
  sharesPromises: false,
  ...briefly,
}
