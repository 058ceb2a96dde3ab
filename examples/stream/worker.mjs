// A Worker of the stream: each request draws some IDs, and answers with the stream's lines.

import { env } from 'cloudflare:workers'
import { Segment, Snowflake, version } from 'leafid'

import { drawLines, statsLine } from './lines.mjs'

// Created at module scope, where asks and timers are forbidden: there are none before the first ID.
const options = { store: env.STORE, timeout: Number(env.TIMEOUT_MS) }
const generators = {
  segment: new Segment(env.TAG, options),
  snowflake: new Snowflake(env.NAMESPACE, options),
}

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const lines = []
    for (const kind of searchParams.getAll('kind')) {
      const ids = generators[kind]
      if (pathname === '/draw') lines.push(...(await drawLines(kind, ids, Number(searchParams.get('count')))))
      else if (pathname === '/stats') lines.push(statsLine(kind, ids))
      else if (pathname === '/close') await ids.close()
      else return new Response(`there is no ${pathname}`, { status: 404 })
    }
    return new Response(lines.join('\n'), { headers: { 'leafid-version': version() } })
  },
}
