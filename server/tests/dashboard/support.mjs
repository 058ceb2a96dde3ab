// A real Chromium beside a real server: started and ended here, each test with a store of its own.

import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'

const SWITCHES = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]
const LIMIT_MS = 60_000

/**
 * A server with an empty store; what was started is ended with `end()`. With principals, `{ name: verbs }`,
 * it wants a token of one of them, and `tokens` has theirs by name.
 */
export async function serve(principals) {
  const folder = await mkdtemp(join(tmpdir(), 'leafid-dashboard-'))
  const args = ['serve', '--create', '--store', join(folder, 'store.db'), '--listen', '127.0.0.1:0']
  const tokens = {}
  for (const [name, verbs] of Object.entries(principals ?? {})) {
    const file = join(folder, 'tokens.toml')
    const create = ['token', 'create', name, '--tokens', file, ...verbs.flatMap((verb) => ['--verb', verb])]
    const { stdout } = await promisify(execFile)(process.env.LEAFID_BIN, create)
    tokens[name] = /leafid_\S+/.exec(stdout)[0]
    if (!args.includes(file)) args.push('--tokens', file)
  }
  const child = spawn(process.env.LEAFID_BIN, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = await new Promise((resolve, reject) => {
    let told = ''
    child.stdout.on('data', (data) => {
      told += data
      const found = /listening on (http:\S+)/.exec(told)
      if (found) resolve(found[1])
    })
    ended.then(() => reject(new Error(`the server ended: ${told}`)))
  })
  const ask = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    if (tokens.admin) headers.authorization = `Bearer ${tokens.admin}`
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  const end = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  return { url, ask, tokens, end }
}

/** A browser with a new profile. */
export function browse() {
  return chromium.launch({ executablePath: process.env.LEAFID_CHROMIUM ?? '/usr/bin/chromium', args: SWITCHES })
}

/**
 * A page of the browser, and all that it complained of: errors, and what its content security policy
 * refused. `end()` fails if there was anything that the test did not take from the list.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
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

/** Looks again and again until this is true, but not for ever. */
export async function until(look, what) {
  const begun = Date.now()
  for (;;) {
    if (await look()) return
    if (Date.now() - begun > LIMIT_MS) throw new Error(`not within ${LIMIT_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

let last = 0
/** A request id that no other call here has. */
export const request = () => (last += 1).toString(16).padStart(32, '0')
