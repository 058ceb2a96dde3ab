// A real Chromium beside a real server: started and ended here, each test with a store of its own.

import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { CHROMIUM, LIMIT_MS } from '../../../bindings-js/tests/support/chromium.mjs'
import { ending, remove, scratch } from '../../../bindings-js/tests/support/ends.mjs'
import { leafid, serve as started } from '../../../bindings-js/tests/support/store.mjs'

/**
 * A server with an empty store, for the test `t`, or else for the file. With principals, `{ name: verbs }`, it wants a token of
 * one of them, and `tokens` has theirs by name.
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

/** A browser with a new profile, for the file. */
export function browse() {
  const browser = chromium.launch(CHROMIUM)
  // Also one that is still starting when something else has failed.
  ending(async () => (await browser.catch(() => undefined))?.close())
  return browser
}

/**
 * A page of the browser, for the test `t`, and all that it complained of: errors, and what its content security policy
 * refused.
 */
export async function open(t, browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  // Else its page goes on asking while others are looked at. What it asks just then has no answer.
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
