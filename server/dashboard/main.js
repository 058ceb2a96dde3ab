// The page: asks the server every few seconds, and shows the answers.

import { at, say } from './dom.js'
import { long } from './format.js'
import * as decoder from './decoder.js'
import * as health from './health.js'
import * as session from './session.js'
import * as spaces from './spaces.js'
import * as tags from './tags.js'

const EVERY_MS = 5_000
let paused = false
let asking = false
let again = false
let last = 0
let timer

async function refresh() {
  // Asks again afterwards: the next request may be for another namespace.
  if (asking) {
    again = true
    return
  }
  asking = true
  clearTimeout(timer)
  const used = session.used()
  let overview
  let wrong
  try {
    overview = await session.get('/v1/overview')
    if (overview.tags) tags.show(overview)
    if (overview.namespaces) {
      spaces.choose(overview.namespaces)
      if (spaces.chosen()) spaces.show(await session.get(`/v1/namespaces/${encodeURIComponent(spaces.chosen())}/numbers`))
    }
    last = Date.now()
  } catch (error) {
    wrong = error
  }
  // State and error change together: `ok` is never shown beside an error that is over.
  if (used === session.used()) {
    if (overview) health.show(overview)
    trouble(wrong)
  }
  asking = false
  fresh()
  if (again) {
    again = false
    return refresh()
  }
  if (!paused && !document.hidden) timer = setTimeout(refresh, EVERY_MS)
}

/** Shows an error once; hides it if there is none. */
function trouble(error) {
  at('problem').hidden = !error
  say(at('problem'), error ? `${error.code ?? 'INTERNAL'}: ${error.message}` : '')
  if (!error) return
  // Another token might help.
  if (error.status === 401 || error.status === 403) {
    health.tell('refused', 'token wanted')
    showToken(true)
  } else if (error.status === 0) {
    health.tell('unavailable', 'no answer')
  }
}

function fresh() {
  const age = Date.now() - last
  say(at('fresh'), last === 0 ? '' : age < 2_000 ? 'up to date' : `as of ${long(age)} ago`)
}

function showToken(open) {
  if (at('token').hidden === !open) return
  at('token').hidden = !open
  at('token-button').setAttribute('aria-expanded', String(open))
  if (open) at('token-text').focus()
}

function useToken(text) {
  session.use(text, at('token-keep').checked)
  at('token-text').value = ''
  showToken(false)
  at('token-button').focus()
  refresh()
}

at('pause').addEventListener('click', () => {
  paused = !paused
  at('pause').setAttribute('aria-pressed', String(paused))
  if (!paused) refresh()
  else clearTimeout(timer)
})
at('token-button').addEventListener('click', () => showToken(at('token').hidden))
at('token').addEventListener('submit', (event) => {
  event.preventDefault()
  useToken(at('token-text').value.trim())
})
at('token-forget').addEventListener('click', () => useToken(''))
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !paused) refresh()
})
tags.start()
spaces.start(refresh)
decoder.start(spaces.chosen)
setInterval(fresh, 1_000)
refresh()
