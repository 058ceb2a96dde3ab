// A web site for pages: a folder's files, the store behind a route of the same origin, and the pages' reports.
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { ending } from '../../js/support/ends.mjs'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' }

/** Serves a folder for the whole test file; forwards `/v1/…` to the store, and calls `hear` with posts to `/told`. */
export async function startSite({ folder, store, hear }) {
  const missing = []
  const server = createServer(async (asked, answer) => {
    const { pathname } = new URL(asked.url, 'http://localhost')
    if (pathname.startsWith('/v1/')) return forward(asked, answer, store)
    if (pathname === '/told') {
      // A page that was closed meanwhile reports nothing.
      const parts = await asked.toArray().catch(() => undefined)
      if (parts === undefined) return answer.destroy()
      hear(JSON.parse(Buffer.concat(parts).toString()))
      return answer.writeHead(204).end()
    }
    const file = join(folder, normalize(pathname), pathname.endsWith('/') ? 'index.html' : '')
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      missing.push(pathname)
      return answer.writeHead(404).end()
    }
    answer.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(answer)
  })
  ending(async () => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}`, missing }
}

// As a reverse proxy does: the store sees its own host, and no page's origin.
function forward(asked, answer, store) {
  const { origin: _, host: __, ...headers } = asked.headers
  const passed = request(new URL(asked.url, store), { method: asked.method, headers }, (got) => {
    answer.writeHead(got.statusCode, got.headers)
    got.pipe(answer)
  })
  passed.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
  asked.pipe(passed)
}
