// A store with tokens, and with a certificate of an authority of its own.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ending, remove, scratch } from './ends.mjs'
import { storeBinary } from './places.mjs'
import { serve } from './store.mjs'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Starts one with the tag `orders`; `token` is one of a principal that may use it, and `token` of `principal` makes more. */
export async function secured() {
  const folder = scratch()
  const at = (name) => join(folder, name)
  const run = (program, ...words) => execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 }).trim()
  const openssl = (...words) => run('openssl', ...words)
  openssl('req', '-x509', ...KEY, '-subj', '/CN=ca', '-days', '30', '-keyout', at('ca-key.pem'), '-out', at('ca.pem'))
  openssl('req', ...KEY, '-subj', '/CN=store', '-keyout', at('key.pem'), '-out', at('store.csr'))
  writeFileSync(at('store.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), '-CAcreateserial', '-days', '30']
  openssl('x509', '-req', '-in', at('store.csr'), ...signed, '-extfile', at('store.ext'), '-out', at('cert.pem'))
  const store = `sqlite:${at('leafid.db')}`
  run(storeBinary, 'init', store)
  run(storeBinary, 'tag', 'create', 'orders', '--store', store)
  const create = (principal, ...words) => run(storeBinary, 'token', 'create', principal, '--tokens', at('tokens.toml'), ...words)
  const token = create('app')
  const other = create('other', '--tag', 'other', '--namespace', 'other')
  const tls = ['--tls-cert', at('cert.pem'), '--tls-key', at('key.pem')]
  const { url, stop } = await serve(['--store', store, '--tokens', at('tokens.toml'), ...tls])
  return {
    url,
    token,
    other,
    ca: at('ca.pem'),
    end: ending(async () => {
      await stop('SIGKILL')
      remove(folder)
    }),
  }
}
