// Chromium as the system has it, with a profile of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts it; `page()` opens a tab, whose errors are noted in `wrong`. */
export async function startChromium() {
  const profile = mkdtempSync(join(tmpdir(), 'leafid-chromium-'))
  const context = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: FLAGS, headless: true })
  const wrong = []
  context.on('weberror', (error) => wrong.push(String(error.error())))
  return {
    wrong,
    page: () => context.newPage(),
    async end() {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Waits for what a page tells, or fails with what went wrong there. */
export async function within(work, what, wrong, ms = 60_000) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${ms} ms: ${wrong.join('; ')}`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
