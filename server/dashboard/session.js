// What is asked of the server, and the token that it is asked with. The token is in memory, and in
// this tab's session storage if that was asked for; never in an address, a cookie or the page.

const KEY = 'leafid.token'
let token = sessionStorage.getItem(KEY) ?? ''
let uses = 0

/** Uses this token from now on; an empty one is none. */
export function use(text, kept) {
  token = text
  uses += 1
  if (kept && text) sessionStorage.setItem(KEY, text)
  else sessionStorage.removeItem(KEY)
}

/** How often another token was used: what was asked with an earlier one says nothing of this one. */
export const used = () => uses

/** Whether there is one. */
export const hasToken = () => token !== ''

/** A refusal, or no answer at all. */
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

/** What a GET answers. */
export async function get(path) {
  return (await answer(path)).json()
}

/** What a GET answers, as a page of its own: a link sends no token. */
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
