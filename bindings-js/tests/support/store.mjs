// The real store on loopback: in a temporary folder, on a free port, ended by its pid.
import { join } from 'node:path'
import { leash, ran, says, scratch, start, stop } from './ends.mjs'
import { storeBinary } from './places.mjs'

/** Starts a store with these tags and namespaces, for the test `t`, or for the file; `folder` reuses one. */
export async function storeFor(t, { tags = {}, namespaces = {}, folder = scratch(), listen } = {}) {
  const store = await serve(['--create', '--store', `sqlite:${join(folder, 'leafid.db')}`], listen)
  t?.after(() => store.stop('SIGKILL'))
  for (const [kind, all] of Object.entries({ tags, namespaces })) {
    for (const [name, fields] of Object.entries(all)) await put(`${store.url}/v1/${kind}/${name}`, fields)
  }
  return { ...store, folder }
}

/** Runs the program `leafid`; returns its output. */
export function leafid(...words) {
  // Journals of other stores of this user are not its business.
  const { status, stdout, stderr } = ran([storeBinary, ...words], { env: { ...process.env, XDG_STATE_HOME: scratch(), STATE_DIRECTORY: '' } })
  if (status !== 0) throw new Error(`leafid ${words.join(' ')}: ${stderr}`)
  return stdout
}

/** Starts `leafid serve` with these arguments; with a `journal` in this folder, everybody waits for it. */
export async function serve(words, listen = '127.0.0.1:0', journal) {
  const kept = journal === undefined ? ['--no-journal'] : ['--journal', journal]
  const child = start([...leash(), storeBinary, 'serve', ...kept, '--listen', listen, ...words])
  const [, url] = await says(child, /listening on (https?:\/\/\S+)\s/)
  return { url, child, stop: (signal = 'SIGTERM') => stop(child, signal) }
}

async function put(url, fields) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(fields) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}
