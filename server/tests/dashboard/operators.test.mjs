// What an operator clicks and reads on the dashboard besides its tables.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browse, open, request, serve, until } from './support.mjs'

let browser
before(async () => (browser = await browse()))
after(() => browser?.close())

test('the metrics open from a page that has a token, and without one the page asks for it', async () => {
  const own = await serve({ admin: ['admin', 'read'], watch: ['metrics'] })
  const { page, context } = await open(browser, own.url)
  await page.fill('#token-text', own.tokens.watch)
  await page.press('#token-text', 'Enter')
  await until(async () => (await page.textContent('#state')) === 'ok', 'the token counts')
  await page.click('#metrics')
  await until(async () => /^# (HELP|TYPE) leafid_/m.test(await page.textContent('body')), 'the metrics')
  assert.doesNotMatch(page.url(), /leafid_\w{20}/)
  await context.close()
  await own.end()
})

test('how long writes take is said as an operator says it', async () => {
  const own = await serve()
  await own.ask('PUT', '/v1/tags/orders', {})
  await own.ask('POST', '/v1/segments/orders/lease', { request: request() })
  const { page, context } = await open(browser, own.url)
  await page.getByText('Write latency, p50 / p99').waitFor()
  const shown = page.locator('dt', { hasText: 'Write latency, p50 / p99' }).locator('+ dd')
  await until(async () => /^≤ [\d.]+ ms \/ ≤ [\d.]+ ms$/.test(await shown.textContent()), 'the latency')
  await context.close()
  await own.end()
})
