// The real store over loopback: started in a temporary folder on a free port, ended by its pid.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeBinary } from './places.mjs'

/** Starts a store. `db` reuses a folder, `listen` an address. */
export async function startStore({ folder = mkdtempSync(join(tmpdir(), 'leafid-js-')), listen = '127.0.0.1:0', args = [] } = {}) {
  const { url, child, stop } = await serve(['--create', '--store', `sqlite:${join(folder, 'leafid.db')}`, ...args], listen)
  return {
    url,
    folder,
    child,
    stop,
    async end() {
      await stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
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
  const child = spawn(storeBinary, ['serve', '--listen', listen, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const url = await listening(child)
  const stop = async (signal = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    }
  }
  return { url, child, stop }
}

async function put(url, fields) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(fields) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}

async function listening(child) {
  let told = ''
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the store did not start: ${told}`)), 60_000)
    const hear = (chunk) => {
      told += chunk
      const found = /listening on (https?:\/\/\S+)/.exec(told)
      if (found === null) return
      clearTimeout(late)
      resolve(found[1])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the store ended with ${code}: ${told}`)))
  })
}
