// Starts Chromium with a new profile.
import { chromium } from 'playwright-core'
import { CHROMIUM, LIMIT_MS } from '../../js/support/chromium.mjs'
import { ending, scratch } from '../../js/support/ends.mjs'

/** Starts Chromium for the whole file, with more Playwright options; `page()` opens a tab and prints its errors. */
export async function startChromium(more = {}) {
  const launched = chromium.launchPersistentContext(scratch(undefined, { name: 'leafid-chromium-' }), { ...CHROMIUM, headless: true, ...more })
  // Also a browser that is still starting when something else has failed.
  ending(async () => (await launched.catch(() => undefined))?.close())
  const context = await launched
  context.setDefaultTimeout(LIMIT_MS)
  context.on('weberror', (error) => console.error(error.error()))
  return { page: () => context.newPage() }
}
