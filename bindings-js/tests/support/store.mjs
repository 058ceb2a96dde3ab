// The real store over loopback: started in a temporary folder on a free port, ended by its pid.
import { join } from 'node:path'
import { ending, leash, ran, remove, says, scratch, start, stop } from './ends.mjs'
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

/** Starts a store for the test `t`, with these tags and namespaces. */
export async function storeFor(t, { tags = {}, namespaces = {}, ...options } = {}) {
  const store = await startStore(options)
  t.after(store.end)
  for (const [tag, fields] of Object.entries(tags)) await store.createTag(tag, fields)
  for (const [namespace, fields] of Object.entries(namespaces)) await store.createNamespace(namespace, fields)
  return store
}

/** What the program `leafid` says when it is run with these words. */
export function leafid(...words) {
  const { status, stdout, stderr } = ran([storeBinary, ...words])
  if (status !== 0) throw new Error(`leafid ${words.join(' ')}: ${stderr}`)
  return stdout
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
