// The dashboard in a real Chromium, over a real server.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { before, test } from '../../../bindings-js/tests/support/chromium.mjs'
import { until } from '../../../bindings-js/tests/support/ends.mjs'
import { leafid } from '../../../bindings-js/tests/support/store.mjs'
import { browse, open, request, serve } from './support.mjs'

let browser
let server
before(async () => {
  ;[browser, server] = await Promise.all([browse(), serve()])
  await server.ask('PUT', '/v1/tags/orders', { step: 10 })
  await server.ask('PUT', '/v1/tags/ids:soon', { from: '2147483000', step: 10, until: '2147483648' })
  await server.ask('PUT', '/v1/namespaces/edge', { layout: 'edge' })
  for (const owner of ['<b>host-1</b>', 'host-2']) {
    const key = request()
    const { store, worker, end } = await server.ask('POST', '/v1/workers/edge/acquire', { request: key, owner, length_ms: 60_000 })
    // A first window lasts a minute, the next one ten: longer than this suite.
    await server.ask('POST', '/v1/workers/edge/renew', { request: request(), store, worker, key, have_until: end })
  }
})

const text = (page, selector) => page.textContent(selector)
const row = (page, tag) => page.locator('#tag-rows tr', { has: page.locator('summary', { hasText: tag }) })
/** Makes the page ask at once: it does so when a pause ends. */
async function now(page) {
  for (let click = 0; click < 2; click++) await page.click('#pause')
}
async function chooseEdge(page) {
  await page.waitForSelector('#space option[value="edge"]', { state: 'attached' })
  await page.selectOption('#space', 'edge')
}

test('tags appear, refresh by themselves, and a range that is leased shows', async (t) => {
  const { page, wrong, asked } = await open(t, browser, server.url)
  await row(page, 'orders').waitFor()
  assert.equal(await text(page, '#state'), 'ok')
  assert.match(await row(page, 'ids:soon').textContent(), /100 %|99\.9 %/)
  const position = row(page, 'orders').locator('td').first()
  const before = await position.textContent()
  await server.ask('POST', '/v1/segments/orders/lease', { request: request() })
  await until(async () => (await position.textContent()) !== before, 'the position moves')
  await row(page, 'orders').locator('summary').click()
  await page.getByText(/leased at/).first().waitFor()
  await server.ask('PUT', '/v1/tags/another', {})
  await now(page)
  await row(page, 'another').waitFor()
  assert.equal(await page.locator('details[open]', { hasText: 'orders' }).count(), 1, 'it stays open')
  const latency = page.locator('dt', { hasText: 'Write latency, p50 / p99' }).locator('+ dd')
  await until(async () => /^≤ [\d.]+ ms \/ ≤ [\d.]+ ms$/.test(await latency.textContent()))
  await server.ask('DELETE', '/v1/tags/another')
  await now(page)
  await row(page, 'another').waitFor({ state: 'detached' })
  assert.deepEqual([...asked], [server.url], 'nobody else is asked')
  assert.deepEqual(wrong, [])
})

test('65,536 numbers are one line: how many are in each state, and who holds some', async (t) => {
  const { page, wrong } = await open(t, browser, server.url)
  await chooseEdge(page)
  await page.locator('#holders td', { hasText: '<b>host-1</b>' }).waitFor()
  assert.equal(await page.locator('#holders b').count(), 0, 'markup in a name is text')
  const told = await page.locator('#states tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
  assert.deepEqual(told, [
    ['held', '2', '< 0.1 %', 'a process has a window on it'],
    ['fresh', '65\u2009534', '99.9 %', 'never handed out'],
  ])
  const shares = await page.locator('#shares span').evaluateAll((parts) => parts.map((part) => [part.className, part.getBoundingClientRect(), getComputedStyle(part).backgroundColor]))
  const [[held, few, green], [fresh, rest, grey]] = shares
  assert.deepEqual([held, fresh, shares.length], ['held', 'fresh', 2])
  assert.ok(few.width >= 3 && rest.width > 30 * few.width && few.height < 30, JSON.stringify(shares))
  assert.notEqual(green, grey)
  assert.deepEqual(wrong, [])
})

test('a tag has one end: its own, or else the next usual one; the rest is told on demand', async (t) => {
  const own = await serve(t)
  const tags = { bounded: { from: '900', until: '1000' }, far: { from: '9007199254740993' }, small: { from: '1073741825' }, spent: { from: '1999', until: '2000' } }
  for (const [tag, fields] of Object.entries(tags)) await own.ask('PUT', `/v1/tags/${tag}`, { step: 1, ...fields })
  await own.ask('POST', '/v1/segments/spent/lease', { request: request() })
  const { page, wrong } = await open(t, browser, own.url)
  const ends = { bounded: '90 % of own end', far: '< 0.1 % of 63 bits', small: '50 % of 31 bits', spent: '100 % of own end' }
  for (const [tag, says] of Object.entries(ends)) {
    await row(page, tag).waitFor()
    assert.ok((await row(page, tag).locator('td.end').textContent()).startsWith(says), tag)
    assert.equal(await row(page, tag).locator('progress').count(), 1)
  }
  assert.equal(await row(page, 'spent').locator('td.end').getAttribute('data-near'), 'yes')
  await row(page, 'small').locator('summary').click()
  await row(page, 'small').getByText(/^< 0.1 % of 53 bits/).waitFor()
  await row(page, 'bounded').locator('summary').click()
  assert.equal(await row(page, 'bounded').locator('li').count(), 1, 'what lies behind its own end is not reached')
  assert.deepEqual(wrong, [])
})

/** The commands are run as they stand on the page. */
test('an empty store shows how to create a tag and draw an ID', async (t) => {
  const own = await serve(t)
  const { page, wrong } = await open(t, browser, own.url)
  const first = page.locator('#first-tag')
  await first.waitFor()
  assert.ok(await page.locator('#tags').isHidden())
  const commands = (await text(page, '#first-commands')).split('\n')
  const said = commands.map((line) => leafid(...line.split(' ').slice(1)).trim())
  assert.equal(said.at(-1), '1')
  await now(page)
  await row(page, 'orders').waitFor()
  assert.ok(await first.isHidden())
  assert.deepEqual(wrong, [])
})

/** Puts markup into the server's answer as a tag: Leaf's table may have such a one. */
test('a tag of markup, as another program may make one, is text', async (t) => {
  const evil = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`
  const { page, wrong } = await open(t, browser)
  await page.route('**/v1/overview', async (route) => {
    const response = await route.fetch({ timeout: 0 })
    const body = await response.json()
    body.tags[0].tag = evil
    body.store.place = evil
    await route.fulfill({ response, json: body })
  })
  await page.goto(server.url)
  await row(page, '<img src=x').waitFor()
  assert.equal(await page.title(), 'leafid')
  assert.equal(await page.locator('main img, main script').count(), 0)
  assert.deepEqual(wrong, [])
})

/** The control: a violation of the policy is blocked and reported here. */
test('the policy refuses inline script, markup by string, and another server', async (t) => {
  const other = createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.1')
  t.after(() => other.closeAllConnections())
  t.after(() => other.close())
  await once(other, 'listening')
  const { page, wrong } = await open(t, browser, server.url)
  await row(page, 'orders').waitFor()
  assert.deepEqual(wrong, [], 'nothing was refused before')
  const tried = await page.evaluate(async (elsewhere) => {
    const script = document.createElement('p')
    const refused = (act) => { try { act(); return false } catch { return true } }
    const markup = refused(() => { script.innerHTML = '<b>x</b>' })
    const style = document.createElement('p')
    style.setAttribute('style', 'color: rgb(1, 2, 3)')
    document.body.append(style)
    const painted = getComputedStyle(style).color === 'rgb(1, 2, 3)'
    const reached = await fetch(elsewhere, { mode: 'no-cors' }).then(() => true, () => false)
    return { markup, painted, reached }
  }, `http://127.0.0.1:${other.address().port}/`)
  assert.deepEqual(tried, { markup: true, painted: false, reached: false })
  await until(() => wrong.filter((line) => line.startsWith('policy:')).length >= 3)
})

test('the decoder shows what the server says of an ID, or why it is none', async (t) => {
  const { page } = await open(t, browser, server.url)
  await page.waitForSelector('#space option[value="default"]', { state: 'attached' })
  const decode = async (id) => {
    await page.fill('#decode-id', id)
    await page.press('#decode-id', 'Enter')
  }
  const [id] = (await server.ask('POST', '/v1/snowflake/default/ids', { count: 1 })).ids
  const { time_ms, tick, worker } = await server.ask('GET', `/v1/decode/${id}`)
  await decode(id)
  await page.locator('#parts', { hasText: `(${time_ms} ms since 1970)` }).waitFor()
  assert.ok((await text(page, '#parts')).includes(`tick${tick}worker${worker}sequence`))
  for (const bad of ['x', '9223372036854775808', '../tags']) {
    await decode(bad)
    await page.locator('#decode-wrong', { hasText: bad }).waitFor()
    assert.match(await text(page, '#decode-wrong'), /^ID_INVALID: /)
    assert.equal(await text(page, '#parts'), '')
  }
})

test('everything can be reached by keys, and it shows where they are', async (t) => {
  const { page } = await open(t, browser, server.url)
  await row(page, 'orders').waitFor()
  const reached = []
  for (let i = 0; i < 60 && !reached.includes('decode-id'); i += 1) {
    await page.keyboard.press('Tab')
    const [name, outline] = await page.evaluate(() => {
      const { id, textContent } = document.activeElement
      return [id || textContent, getComputedStyle(document.activeElement).outlineStyle]
    })
    assert.notEqual(outline, 'none', `${name} does not show its focus`)
    reached.push(name)
  }
  for (const wanted of ['pause', 'token-button', 'tag-filter', 'orders', 'space', 'decode-id']) {
    assert.ok(reached.includes(wanted), `${wanted} is not among ${reached.join(', ')}`)
  }
  await page.focus('#tag-filter')
  await page.keyboard.type('soon')
  await row(page, 'orders').waitFor({ state: 'detached' })
  await row(page, 'ids:soon').locator('summary').focus()
  await page.keyboard.press('Enter')
  await page.getByText('No range was leased from this server since it started.').waitFor()
})

test('a server that wants a token is given it as a header, and it is kept nowhere else', async (t) => {
  const own = await serve(t, { admin: ['admin', 'read'], watch: ['metrics'], holder: ['lease'] })
  await own.ask('PUT', '/v1/tags/orders', {})
  const { page } = await open(t, browser, own.url)
  const type = async (token, kept) => {
    await page.fill('#token-text', token)
    await page.setChecked('#token-keep', kept)
    await page.click('#token button[type=submit]')
  }
  const refused = (code) => until(async () => (await text(page, '#problem')).startsWith(code))
  await refused('UNAUTHORIZED')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'token-text')
  await type(own.tokens.holder, false)
  await refused('FORBIDDEN')
  await type('leafid_nonsense', false)
  await refused('UNAUTHORIZED')
  await page.fill('#token-text', own.tokens.watch)
  await page.press('#token-text', 'Enter')
  await row(page, 'orders').waitFor()
  await page.locator('#problem').waitFor({ state: 'hidden' })
  const kept = () => page.evaluate(() => [location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.documentElement.outerHTML].join())
  assert.doesNotMatch(await kept(), /leafid_\w{20}/)
  await page.reload()
  await refused('UNAUTHORIZED')
  await type(own.tokens.watch, true)
  await row(page, 'orders').waitFor()
  assert.ok((await kept()).includes(own.tokens.watch), 'this tab keeps it, as was asked')
  await page.reload()
  await row(page, 'orders').waitFor()
  assert.ok(await page.locator('#token').isHidden())
  await page.click('#token-button')
  await page.click('#token-forget')
  await refused('UNAUTHORIZED')
  assert.doesNotMatch(await kept(), /leafid_\w{20}/)
  // The answer to an earlier token does not count for the present one.
  let hold
  const held = new Promise((resolve) => (hold = resolve))
  await page.route('**/v1/overview', hold, { times: 1 })
  await now(page)
  const route = await held
  await type(own.tokens.watch, false)
  await route.continue()
  await row(page, 'orders').waitFor()
  assert.ok(await page.locator('#token').isHidden())
})

test('a server that is gone is said to be, and it comes back', async (t) => {
  const own = await serve(t)
  await own.ask('PUT', '/v1/namespaces/edge', { layout: 'edge' })
  const { page, context } = await open(t, browser, own.url)
  await page.waitForSelector('#space option[value="edge"]', { state: 'attached' })
  const seen = () => page.evaluate(() => {
    const problem = document.getElementById('problem')
    return [document.getElementById('state').textContent, problem.hidden ? '' : problem.textContent.split(':')[0]].join()
  })
  await context.setOffline(true)
  await now(page)
  await until(async () => (await seen()) === 'no answer,NO_ANSWER', 'it is gone')
  // One of two requests is answered, the other not yet: the page must not show `ok` beside the trouble.
  let held
  await page.route('**/numbers', (route) => (held = route), { times: 1 })
  await context.setOffline(false)
  await now(page)
  await until(() => held !== undefined)
  assert.equal(await seen(), 'no answer,NO_ANSWER')
  await held.continue()
  await until(async () => (await seen()) === 'ok,', 'it is back')
})

const require = createRequire(import.meta.url)
for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 400, height: 800 }, reducedMotion: 'reduce' }]) {
  test(`axe finds nothing serious: ${JSON.stringify(options)}`, async (t) => {
    // The page's policy would block axe's scripts.
    const { page } = await open(t, browser, server.url, { ...options, bypassCSP: true })
    await chooseEdge(page)
    await page.locator('#holders tr').first().waitFor()
    await row(page, 'orders').locator('summary').click()
    await page.fill('#decode-id', '2124434667741380665')
    await page.press('#decode-id', 'Enter')
    await page.locator('#parts tr').first().waitFor()
    await page.click('#token-button')
    // Paused, so that the page does not change during the check.
    await page.click('#pause')
    await page.addScriptTag({ path: require.resolve('axe-core') })
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document))
    assert.ok(passes.length > 20, `axe looked at ${passes.length} things`)
    const serious = violations.filter(({ impact }) => ['serious', 'critical', 'moderate'].includes(impact))
    const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    assert.deepEqual(told, [])
    const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }))
    assert.ok(scroll <= width, `the page is ${scroll} wide in a window of ${width}`)
  })
}

test('axe finds what is wrong where something is', async (t) => {
  const { page } = await open(t, browser, server.url, { bypassCSP: true })
  await page.addScriptTag({ path: require.resolve('axe-core') })
  await page.evaluate(() => document.querySelectorAll('label').forEach((label) => label.remove()))
  const { violations } = await page.evaluate(() => globalThis.axe.run(document))
  assert.ok(violations.some(({ impact }) => impact === 'critical'), JSON.stringify(violations.map(({ id }) => id)))
})
