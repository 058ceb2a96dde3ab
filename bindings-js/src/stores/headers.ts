import { LeafidError } from '../values/errors.js'
import { quoted } from '../values/shown.js'

/** Headers by their names. */
export type RequestHeaders = Readonly<Record<string, string>>

/** Headers, or what gives them for each request. */
export type GivenHeaders = RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>)

/** What leafid sends itself. */
const OURS: RequestHeaders = { 'content-type': 'application/json', accept: 'application/json' }

/**
 * The headers of each request. The `usual` token is for who gives neither one nor an `authorization`. `REQUEST_INVALID` for what
 * is no header, and for one that leafid sends itself.
 */
export function headersOf(
  token: string | undefined,
  given: GivenHeaders = {},
  usual?: string,
): () => RequestHeaders | Promise<RequestHeaders> {
  const ours = token === undefined ? OURS : { ...OURS, ...bearer(token, '`token`') }
  const theirs = token === undefined && usual !== undefined ? bearer(usual, 'LEAFID_TOKEN') : {}
  const all = (headers: RequestHeaders) => {
    const says = Object.keys(checked(headers, ours)).some((name) => name.toLowerCase() === 'authorization')
    return { ...(says ? {} : theirs), ...headers, ...ours }
  }
  if (typeof given === 'function') return async () => all(await given())
  const fixed = all(given)
  return () => fixed
}

function bearer(token: unknown, name: string): RequestHeaders {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return { authorization: `Bearer ${token}` }
  throw new LeafidError('REQUEST_INVALID', `${name} must have printable ASCII characters only, without spaces`)
}

// No message shows a value: it may be a secret.
function checked(headers: RequestHeaders, ours: RequestHeaders): RequestHeaders {
  if (Object.prototype.toString.call(headers) !== '[object Object]') {
    throw new LeafidError('REQUEST_INVALID', '`headers` must be an object whose fields are names and texts, as in `{ headers: { cookie: … } }`')
  }
  for (const [name, value] of Object.entries(headers)) {
    if (Object.hasOwn(ours, name.toLowerCase())) {
      throw new LeafidError('REQUEST_INVALID', `leafid sends the header ${quoted(name)} itself: leave it out of \`headers\``)
    }
    if (typeof value !== 'string' || !isHeader(name, value)) {
      throw new LeafidError('REQUEST_INVALID', `the header ${quoted(name)} cannot be sent: its name must be a token such as \`x-team\`, its value a text of one line`)
    }
  }
  return headers
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]])
    return true
  } catch {
    return false
  }
}
