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

/** Sends a GET; returns its JSON. A refusal, or a missing answer, is an error with `status` and `code`. */
export async function get(path) {
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  const asked = fetch(path, { headers, cache: 'no-store', credentials: 'omit', redirect: 'error' })
  const response = await asked.catch((error) => {
    throw refused(0, 'NO_ANSWER', `the server does not answer: ${error.message}`)
  })
  if (response.ok) return response.json()
  const body = await response.json().catch(() => ({}))
  throw refused(response.status, body.code ?? String(response.status), body.detail ?? response.statusText)
}

const refused = (status, code, detail) => Object.assign(new Error(detail), { status, code })
