// Chromium as the system has it.
import { found, needing } from './needs.mjs'

/** `test` and `before` of tests in a browser. */
export const { test, before } = needing('chromium')

/** How long a slow machine may take over one thing. */
export const LIMIT_MS = 120_000

const words = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** What Playwright starts it with. */
export const CHROMIUM = { executablePath: found('chromium'), args: words, timeout: LIMIT_MS }
