// The life cycle of pages: they enter and leave the back/forward cache, are copied, killed and opened again, and
// a service worker is stopped and restarted. Nothing is drawn twice.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as esbuild from 'esbuild'
import { before, test } from '../js/support/chromium.mjs'
import { scratch } from '../js/support/ends.mjs'
import { storeFor } from '../js/support/store.mjs'
import { until } from '../js/support/stores.mjs'
import { startChromium } from './lib/chromium.mjs'
import { app } from './lib/programs.mjs'
import { startSite } from './lib/site.mjs'

/** How often a page comes back from the cache. */
const LIVES = 4
/** Short windows on few worker numbers: a frozen page wakes after others got its number. */
const BRIEF = { max_window_ms: 1_000, workers: { start: 0, end: 2 } }

const folder = scratch(undefined, { name: 'leafid-lives-' })
let reports = []
let site
let browser

before(async () => {
  const bundled = (entry, to) => esbuild.build({ entryPoints: [app(entry)], bundle: true, platform: 'browser', format: 'iife', outfile: to, logLevel: 'error' })
  const page = (name, script) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'index.html'), `<!doctype html><meta charset="utf-8"><title>${name}</title><script>${script}</script>`)
  }
  page('life', '</script><script src="main.js">')
  page('away', "addEventListener('pageshow', () => location.search === '' && setTimeout(() => history.back(), 1))")
  page('served', "navigator.serviceWorker.register('worker.js' + location.search).then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage('loaded'))")
  await bundled('life-page.mjs', join(folder, 'life/main.js'))
  await bundled('life-worker.mjs', join(folder, 'served/worker.js'))
  const store = await storeFor(undefined, { tags: { lives: { step: 100, max_step: 1_000 } }, namespaces: { brief: { layout: 'leaf', ...BRIEF } } })
  site = await startSite({ folder, store: store.url, hear: (told) => reports.push(told) })
  // Playwright turns the cache off, as it loses track of pages that come back.
  browser = await startChromium({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
})
/** Waits for a number of reports of a page, and gives them. */
async function told(page, why, count = 1) {
  const fitting = () => reports.filter((told) => told.page === page && told.why === why)
  await until(() => fitting().length >= count).catch(() => assert.fail(`${count} of ${page}, ${why}: ${reports.map(({ page, why }) => [page, why])}`))
  return fitting()
}

/** Opens a page that draws from the shared store or from its own. */
async function open(name, shared, query = '', at = 'life') {
  const tab = await browser.page()
  await tab.goto(`${site.url}/${at}/?name=${name}${shared ? '' : '&store=own'}${query}`)
  return tab
}

/** Counts and prints the IDs drawn since the last call, and those drawn twice. */
function drawn(what) {
  const twice = (kind) => {
    const ids = reports.flatMap((told) => told[kind])
    return [ids.length, ids.length - new Set(ids).size]
  }
  const [[numbers, numbersTwice], [stamps, stampsTwice]] = [twice('numbers'), twice('stamps')]
  console.log(`lives: ${what}: ${numbers} numbers, ${numbersTwice} twice; ${stamps} snowflakes, ${stampsTwice} twice`)
  reports = []
  return { numbers, twice: [numbersTwice, stampsTwice] }
}

/** A page that goes through the cache beside one that stays. */
async function cached(shared) {
  const beside = await open('beside', shared)
  const tab = await open('cached', shared, `&lives=${LIVES}`)
  const back = await told('cached', 'back', LIVES - 1)
  await beside.evaluate('again()')
  const lives = new Set(reports.filter(({ page }) => page === 'cached').map(({ life }) => life))
  await Promise.all([tab.close(), beside.close()])
  return { back: back.length, lives: lives.size }
}

/** A page that is frozen in the cache until others have got its worker number and go on drawing. */
async function frozen(shared) {
  const tab = await open('frozen', shared, `&lives=2&stays=1&namespace=brief`)
  await told('frozen', 'loaded')
  await tab.waitForURL('**/away/**')
  for (let n = 0; n < 3; n++) {
    const other = await open(`other${n}`, shared, '&namespace=brief')
    await told(`other${n}`, 'loaded')
    await other.close()
  }
  await tab.evaluate('void history.back()')
  await told('frozen', 'back')
  await tab.close()
}

/** A tab that is copied with all its storage, and one whose process is killed. */
async function copied(shared) {
  const tab = await open('copied', shared)
  const [{ numbers }] = await told('copied', 'loaded')
  const popup = tab.waitForEvent('popup')
  await tab.evaluate('void window.open(location.href)')
  const copy = await popup
  const second = (await told('copied', 'loaded', 2))[1]
  assert.equal(second.copied, numbers.at(-1), 'the copy has what the first one stored')
  await Promise.all([tab, copy].map((one) => one.evaluate('again()')))
  await told('copied', 'again', 2)
  const session = await copy.context().newCDPSession(copy)
  const crashed = copy.waitForEvent('crash')
  // The crashed process cannot answer.
  session.send('Page.crash').catch(() => {})
  await crashed
  const after = await open('copied', shared)
  await told('copied', 'loaded', 3)
  await Promise.all([tab, copy, after].map((one) => one.close()))
}

/** A service worker that draws, is stopped, and restarts with the next message. */
async function served(shared) {
  const tab = await open('page', shared, '', 'served')
  await told('worker', 'loaded')
  const session = await tab.context().newCDPSession(tab)
  await session.send('ServiceWorker.enable')
  for (const n of [1, 2]) {
    await session.send('ServiceWorker.stopAllWorkers')
    await tab.evaluate(`navigator.serviceWorker.ready.then(({ active }) => active.postMessage('again ${n}'))`)
    await told('worker', `again ${n}`)
  }
  const lives = new Set(reports.map(({ life }) => life)).size
  await tab.evaluate('navigator.serviceWorker.ready.then((registration) => registration.unregister())')
  await tab.close()
  return lives
}

test('a page that comes back from the cache goes on where it was', async () => {
  assert.deepEqual(await cached(true), { back: LIVES - 1, lives: 1 })
  const { numbers, twice } = drawn('from the cache')
  assert.deepEqual(twice, [0, 0])
  assert.ok(numbers >= 50 * (LIVES + 2))
})

test('a page that stood still for longer than its window', async () => {
  await frozen(true)
  assert.deepEqual(drawn('stood still').twice, [0, 0])
})

test('a tab that was copied, and one that was killed', async () => {
  await copied(true)
  assert.deepEqual(drawn('copied and killed').twice, [0, 0])
})

test('a service worker that is stopped and begins again', async () => {
  assert.equal(await served(true), 3)
  assert.deepEqual(drawn('service worker').twice, [0, 0])
})

test('the control: with a store in each page, every one of these draws numbers twice', async () => {
  for (const act of [cached, frozen, copied, served]) {
    await act(false)
    const { numbers, twice } = drawn(`${act.name}, the control`)
    assert.ok(twice[0] >= 50, `${act.name}: ${twice} of ${numbers}`)
  }
})
