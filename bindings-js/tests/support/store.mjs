// The real store over loopback: started in a temporary folder on a free port, ended by its pid.
import { join } from 'node:path'
import { ending, leash, remove, says, scratch, start, stop } from './ends.mjs'
import { storeBinary } from './places.mjs'

/** Starts a store. `folder` reuses one, `listen` an address. */
export async function startStore({ folder = scratch(), listen = '127.0.0.1:0', args = [] } = {}) {
  const { url, child, stop } = await serve(['--create', '--store', `sqlite:${join(folder, 'leafid.db')}`, ...args], listen)
  return {
    url,
    folder,
    child,
    stop,
    end: ending(async () => {
      await stop('SIGKILL')
      remove(folder)
    }),
    async createTag(tag, fields = {}) {
      await put(`${url}/v1/tags/${tag}`, fields)
    },
    async createNamespace(namespace, fields = {}) {
      await put(`${url}/v1/namespaces/${namespace}`, fields)
    },
  }
}

/** Starts `leafid serve` with these words. */
export async function serve(words, listen = '127.0.0.1:0') {
  const child = start([...leash(), storeBinary, 'serve', '--no-journal', '--listen', listen, ...words])
  const [, url] = await says(child, /listening on (https?:\/\/\S+)\s/)
  return { url, child, stop: (signal = 'SIGTERM') => stop(child, signal) }
}

async function put(url, fields) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(fields) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}
