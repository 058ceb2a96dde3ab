// A store with tokens, and with a certificate of an authority of its own: made once, for `localhost` until 2124, for not every
// machine has a program that makes them.
import { join } from 'node:path'
import { ending, remove, scratch } from './ends.mjs'
import { leafid, serve } from './store.mjs'

const pem = (name) => join(import.meta.dirname, 'tls', `${name}.pem`)

/** Starts one with the tag `orders`; `token` is one of a principal that may use it, `other` one of a principal that may not. */
export async function secured() {
  const folder = scratch()
  const [store, tokens] = [`sqlite:${join(folder, 'leafid.db')}`, join(folder, 'tokens.toml')]
  leafid('init', '--store', store)
  leafid('tag', 'create', 'orders', '--store', store)
  const create = (principal, ...words) => leafid('token', 'create', principal, '--tokens', tokens, ...words).trim()
  const token = create('app')
  const other = create('other', '--tag', 'other', '--namespace', 'other')
  const { url, stop } = await serve(['--store', store, '--tokens', tokens, '--tls-cert', pem('cert'), '--tls-key', pem('key')])
  return {
    url,
    token,
    other,
    ca: pem('ca'),
    end: ending(async () => {
      await stop('SIGKILL')
      remove(folder)
    }),
  }
}
