// The system's Chromium.
import { found, needing } from './needs.mjs'

/** `test` and `before` of tests in a browser. */
export const { test, before } = needing('chromium')

/** The time limit of one step on a slow machine. */
export const LIMIT_MS = 120_000

const words = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** Playwright's launch options. */
export const CHROMIUM = { executablePath: found('chromium'), args: words, timeout: LIMIT_MS }
