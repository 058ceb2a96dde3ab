// What an operator clicks and reads on the dashboard besides its tables.

import assert from 'node:assert/strict'
import { before, test } from '../../../bindings-js/tests/support/chromium.mjs'
import { browse, open, request, serve, until } from './support.mjs'

let browser
before(async () => (browser = await browse()))

test('the metrics open from a page that has a token, and without one the page asks for it', async (t) => {
  const own = await serve(t, { admin: ['admin', 'read'], watch: ['metrics'] })
  const { page } = await open(t, browser, own.url)
  await page.fill('#token-text', own.tokens.watch)
  await page.press('#token-text', 'Enter')
  await until(async () => (await page.textContent('#state')) === 'ok', 'the token counts')
  await page.click('#metrics')
  await until(async () => /^# (HELP|TYPE) leafid_/m.test(await page.textContent('body')), 'the metrics')
  assert.doesNotMatch(page.url(), /leafid_\w{20}/)
})

test('how long writes take is said as an operator says it', async (t) => {
  const own = await serve(t)
  await own.ask('PUT', '/v1/tags/orders', {})
  await own.ask('POST', '/v1/segments/orders/lease', { request: request() })
  const { page } = await open(t, browser, own.url)
  await page.getByText('Write latency, p50 / p99').waitFor()
  const shown = page.locator('dt', { hasText: 'Write latency, p50 / p99' }).locator('+ dd')
  await until(async () => /^≤ [\d.]+ ms \/ ≤ [\d.]+ ms$/.test(await shown.textContent()), 'the latency')
})
