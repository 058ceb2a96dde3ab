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
export async function get(path, signal) {
  const response = await answer(path, signal)
  const body = await response.json().catch(() => ({}))
  if (!response.ok) throw new Refused(response.status, body.code ?? String(response.status), body.detail ?? response.statusText)
  return body
}

/** What a GET answers, as a page of its own: a link sends no token. */
export async function page(path) {
  const response = await answer(path)
  if (!response.ok) {
    const body = await response.json().catch(() => ({}))
    throw new Refused(response.status, body.code ?? String(response.status), body.detail ?? response.statusText)
  }
  return URL.createObjectURL(new Blob([await response.text()], { type: 'text/plain;charset=utf-8' }))
}

async function answer(path, signal) {
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  try {
    return await fetch(path, { headers, signal, cache: 'no-store', credentials: 'omit', redirect: 'error' })
  } catch (error) {
    throw new Refused(0, 'NO_ANSWER', `the server does not answer: ${error.message}`)
  }
}
