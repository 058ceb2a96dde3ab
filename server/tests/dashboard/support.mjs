// Starts and ends a real Chromium and real servers, each test with a store of its own.

import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { CHROMIUM, LIMIT_MS } from '../../../bindings-js/tests/support/chromium.mjs'
import { ending, remove, scratch } from '../../../bindings-js/tests/support/ends.mjs'
import { leafid, serve as started } from '../../../bindings-js/tests/support/store.mjs'

/**
 * Starts a server with an empty store, for the test `t` or else the whole file. With principals, `{ name: verbs }`,
 * it requires their tokens, which `tokens` has by name.
 */
export async function serve(t, principals = {}) {
  const folder = scratch(undefined, { name: 'leafid-dashboard-' })
  const file = join(folder, 'tokens.toml')
  const created = ([name, verbs]) => [name, leafid('token', 'create', name, '--tokens', file, ...verbs.flatMap((verb) => ['--verb', verb])).trim()]
  const tokens = Object.fromEntries(Object.entries(principals).map(created))
  const words = Object.keys(tokens).length > 0 ? ['--tokens', file] : []
  const { url, stop } = await started(['--create', '--store', join(folder, 'store.db'), ...words])
  t?.after(async () => {
    await stop()
    remove(folder)
  })
  const ask = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    if (tokens.admin) headers.authorization = `Bearer ${tokens.admin}`
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  return { url, ask, tokens }
}

/** Starts a browser with a new profile, for the whole file. */
export function browse() {
  const browser = chromium.launch(CHROMIUM)
  // Also a browser that is still starting when something else has failed.
  ending(async () => (await browser.catch(() => undefined))?.close())
  return browser
}

/**
 * Opens a page for the test `t`, and collects its complaints: errors, and violations of its content
 * security policy.
 */
export async function open(t, browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  // Else the page goes on asking during other tests. Requests under way then get no answer.
  t.after(async () => {
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  const wrong = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  const asked = new Set()
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))
  })
  if (url) await page.goto(url)
  return { page, context, wrong, asked }
}

let last = 0
export const request = () => (last += 1).toString(16).padStart(32, '0')
