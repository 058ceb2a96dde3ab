// A Worker in workerd, through Miniflare, with the installed package as its modules.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Miniflare } from 'miniflare'
import { ending, leash, scratch } from './ends.mjs'
import { root } from './package.mjs'

/** The compatibility date. */
export const DATE = '2026-04-01'

/** A Worker that forwards each request to the Worker named first in its path. */
export const FRONT = `export default {
  fetch(request, env) {
    const url = new URL(request.url)
    const [, name, ...rest] = url.pathname.split('/')
    url.pathname = rest.join('/')
    return env[name].fetch(new Request(url, request))
  },
}`

/** Starts a Worker with this source, which imports `leafid` by name. */
export function startWorker(source, { bindings = {}, files = {} } = {}) {
  return startMiniflare({ cf: false, compatibilityDate: DATE, bindings, ...program({ 'main.js': source, ...files }) })
}

/** Starts one with these options. A runtime that hangs keeps Node alive, so it is ended after a while in any case. */
export async function startMiniflare(options) {
  leashRuntime()
  const late = setTimeout(() => {
    console.error('the Worker did not end within 15 min')
    process.exit(1)
  }, 900_000)
  const worker = new Miniflare(options)
  const end = ending(async () => {
    clearTimeout(late)
    await worker.dispose()
  })
  let url
  try {
    url = await worker.ready
  } catch (error) {
    // Else a Worker that fails to start keeps its test from ending.
    await end().catch(() => {})
    throw error
  }
  return {
    /** Its address on loopback, where a caller can disconnect. */
    url,
    fetch: (path, init) => worker.dispatchFetch(`http://worker${path}`, init),
    miniflare: worker,
    end,
  }
}

/** Makes Miniflare start runtimes that end with this process, even if it is killed. */
export function leashRuntime() {
  if (process.env.MINIFLARE_WORKERD_PATH !== undefined || leash().length === 0) return
  const workerd = createRequire(createRequire(import.meta.url).resolve('miniflare'))('workerd').default
  const program = join(scratch(undefined, { below: tmpdir() }), 'workerd')
  writeFileSync(program, `#!/bin/sh\nexec ${leash().join(' ')} '${workerd}' "$@"\n`, { mode: 0o755 })
  process.env.MINIFLARE_WORKERD_PATH = program
}

/** The modules of a Worker: these and the package. */
export function program(files) {
  const own = Object.entries(files).map(([name, contents]) => ({ type: 'ESModule', path: join(root, name), contents }))
  return { modules: [...own, ...modules()], modulesRoot: root }
}

/** Every file of the package for a Worker, and a module for each export of its manifest under `workerd`. */
function modules() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const named = Object.entries(exports)
    .filter(([, { workerd }]) => workerd !== undefined)
    .map(([name, { workerd }]) => ({
      type: 'ESModule',
      path: join(root, name.replace('.', 'leafid')),
      contents: `export * from '${name === '.' ? './' : '../'}${relative('.', workerd)}'`,
    }))
  const files = readdirSync(join(root, 'workerd')).map((name) => ({
    type: name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule',
    path: join(root, 'workerd', name),
    contents: readFileSync(join(root, 'workerd', name)),
  }))
  return [...named, ...files]
}
