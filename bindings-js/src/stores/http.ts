import { theEngine, withRespelled } from '../engines/engine.js'
import { theHost } from '../hosts/host.js'
import { advice, codeFacts, LeafidError } from '../values/errors.js'
import { worded } from '../values/fields.js'
import { checkOptions, type Known } from '../values/options.js'
import { quoted, shown, shownAddress } from '../values/shown.js'
import { storeOf, type Store } from './store.js'

/** How to reach a store over HTTP. */
export interface HttpStoreOptions {
  /** The operator's token, sent as `Authorization: Bearer …`; `LEAFID_TOKEN` by default. */
  token?: string
  /** More headers, such as a proxy's; or a function that gives them for each request. */
  headers?: GivenHeaders
  /** Sends the requests in place of the global `fetch`: a service binding of a Worker, an agent with certificates. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

const OPTIONS: Known = {
  names: ['token', 'headers', 'fetch'],
  bare: (value) => (typeof value === 'string' ? 'token' : typeof value === 'function' ? 'fetch' : undefined),
  isSecret: true,
}

/** The store at an address such as `http://127.0.0.1:8750`, over `fetch`. `REQUEST_INVALID` for anything else. */
export function httpStore(url: string | URL, options: HttpStoreOptions = {}): Required<Store> {
  checkOptions(options, OPTIONS)
  const base = address(url)
  const usual = theHost().setting('LEAFID_TOKEN')
  const headers = headersOf(options.token, options.headers, usual === '' ? undefined : usual)
  const { fetch: own } = options
  if (own !== undefined && typeof own !== 'function') {
    throw new LeafidError('REQUEST_INVALID', `\`fetch\` must be a function of a URL and what to send, got ${shown(own)}`)
  }
  return storeOf(async (verb, { tag, namespace, ...body }: { tag: string; namespace: string }, signal) => {
    const path = verb === 'leaseSegment' ? `segments/${encodeURIComponent(tag)}/lease` : `workers/${encodeURIComponent(namespace)}/${verb}`
    return send(own, `${base}/v1/${path}`, await headers(), body, signal)
  })
}

type Fetch = HttpStoreOptions['fetch']

function address(url: string | URL): string {
  let hasLogin = false
  try {
    const { protocol, href, search, hash, username, password } = new URL(url)
    hasLogin = username !== '' || password !== ''
    if (!hasLogin && /^https?:$/.test(protocol) && search === '' && hash === '') return href.replace(/\/+$/, '')
  } catch {
    // Not a URL: the same error as for a wrong kind.
  }
  const got = shownAddress(url)
  if (hasLogin) {
    // `fetch` would refuse the address at every request, in an error that shows the password.
    const cure = 'pass a token as `httpStore(url, { token })`'
    throw new LeafidError('REQUEST_INVALID', `the store's address must have no user or password, got ${got}: ${cure}`)
  }
  throw new LeafidError('REQUEST_INVALID', `the store's address must be like \`http://127.0.0.1:8750\`, got ${got}`)
}

async function send(own: Fetch, url: string, headers: RequestHeaders, body: object, signal?: AbortSignal): Promise<unknown> {
  const init: RequestInit = { method: 'POST', headers, body: JSON.stringify(body, written), redirect: 'manual' }
  let status: number
  let text: string
  let after: string | null
  try {
    const response = await (own ?? fetch)(url, signal === undefined ? init : { ...init, signal })
    if (own !== undefined) checkResponse(response)
    status = response.status
    after = response.headers.get('retry-after')
    text = await response.text()
  } catch (cause) {
    if (cause instanceof LeafidError) throw cause
    throw new LeafidError('STORE_UNAVAILABLE', noAnswer(url, cause, own !== undefined), { cause })
  }
  const json = parsed(text)
  const field = json === undefined ? undefined : fieldTwice(text)
  if (status >= 200 && status < 300) {
    if (field !== undefined) {
      throw new LeafidError('GRANT_INVALID', `${quoted(url)} answered ${shown(text)}, which says the field ${quoted(field)} twice: ${advice('GRANT_INVALID')}`)
    }
    if (json !== undefined) return json
    throw new LeafidError('GRANT_INVALID', `${quoted(url)} answered ${shown(text)}, which is not a JSON object: ${advice('GRANT_INVALID')}`)
  }
  throw problem(url, status, field === undefined ? json : undefined, after)
}

/** Refuses anything but a response from a custom `fetch`; the next one may be fine. */
function checkResponse(response: unknown): void {
  const { status, headers, text } = (response ?? {}) as Partial<Record<keyof Response, unknown>>
  const isOne = Number.isInteger(status) && typeof (headers as Headers | undefined)?.get === 'function' && typeof text === 'function'
  if (!isOne) throw new LeafidError('STORE_UNAVAILABLE', `\`fetch\` returned ${shown(response)}, which is no Response: return what the global \`fetch\` returns`)
}

function noAnswer(url: string, error: unknown, isOwn: boolean): string {
  const { reason, cure } = theHost().unreached?.(error, quoted(url)) ?? {}
  if (cure !== undefined) return cure
  const told = reason ?? (isOwn && error instanceof Error && error.message !== '' ? error.message : undefined)
  const why = told === undefined ? '' : ` (${quoted(told).slice(1, -1)})`
  return `no answer from ${quoted(url)}${why}: check that the store runs there and can be reached`
}

function problem(url: string, status: number, json: Record<string, unknown> | undefined, after: string | null): LeafidError {
  const code = typeof json?.['code'] === 'string' ? json['code'] : ''
  const seconds = Number(after ?? Number.NaN)
  const retryAfter = number(json?.['retryAfterMs']) ?? (Number.isFinite(seconds) ? seconds * 1000 : undefined)
  // Some codes exist only inside a host: no store answers with them.
  if (codeFacts(code)?.http !== undefined) {
    const detail = typeof json?.['detail'] === 'string' ? worded(json['detail']) : `the store answered ${status}`
    return new LeafidError(code, detail, { retryAfter, until: number(json?.['freeAtMs']) })
  }
  const message = `${quoted(url)} answered ${status} without a code of leafid: ${advice('GRANT_INVALID')}`
  return new LeafidError(theEngine().codeFromHttp(status), message, { retryAfter })
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text, withRespelled)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Finds a field that occurs twice in an object of this JSON: parsers differ in which of the two counts. */
function fieldTwice(json: string): string | undefined {
  const open: Set<string>[] = []
  // In valid JSON a string before a colon is a field, and braces in strings do not count.
  for (const [token, text, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon !== undefined) {
      const field = JSON.parse(text!) as string
      if (open.at(-1)?.has(field) === true) return field
      open.at(-1)?.add(field)
    }
  }
  return undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function written(field: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : withRespelled(field, value)
}

/** Headers by name. */
export type RequestHeaders = Readonly<Record<string, string>>

/** Headers, or a function that gives them for each request. */
export type GivenHeaders = RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>)

const OURS: RequestHeaders = { 'content-type': 'application/json', accept: 'application/json' }

/**
 * The headers of each request. The `usual` token applies if neither a token nor an `authorization` is given.
 * `REQUEST_INVALID` for invalid headers, and for those that leafid sends itself.
 */
function headersOf(
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

// No message shows a value, which may be a secret.
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
