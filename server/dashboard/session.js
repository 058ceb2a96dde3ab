// Requests to the server, and their token. The token is in memory, and, if wanted, in this tab's
// session storage; never in an address, a cookie or the page.

const KEY = 'leafid.token'
let token = sessionStorage.getItem(KEY) ?? ''
let uses = 0

/** Uses this token from now on; an empty text is none. */
export function use(text, kept) {
  token = text
  uses += 1
  if (kept && text) sessionStorage.setItem(KEY, text)
  else sessionStorage.removeItem(KEY)
}

/** How often the token was changed: answers to an earlier token are out of date. */
export const used = () => uses

export const hasToken = () => token !== ''

/** A refusal, or a missing answer. */
export class Refused extends Error {
  constructor(status, code, detail) {
    super(detail)
    this.status = status
    this.code = code
  }

  /** Whether another token might help. */
  get wantsToken() {
    return this.status === 401 || this.status === 403
  }
}

/** Sends a GET; returns its JSON. */
export async function get(path) {
  return (await answer(path)).json()
}

/** Sends a GET; returns its answer as a page's address, since a link sends no token. */
export async function page(path) {
  const text = await (await answer(path)).text()
  return URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
}

async function answer(path) {
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  const asked = fetch(path, { headers, cache: 'no-store', credentials: 'omit', redirect: 'error' })
  const response = await asked.catch((error) => {
    throw new Refused(0, 'NO_ANSWER', `the server does not answer: ${error.message}`)
  })
  if (response.ok) return response
  const body = await response.json().catch(() => ({}))
  throw new Refused(response.status, body.code ?? String(response.status), body.detail ?? response.statusText)
}
