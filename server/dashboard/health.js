// Shows whether the store grants, and what an operator must know.

import { at, make, say } from './dom.js'
import { clock, grouped, moment } from './format.js'

const WORDS = {
  ok: 'grants',
  degraded: 'grants, but not of these tags',
  refused: 'grants nothing: an operator has to look',
  unavailable: 'cannot be reached',
}
const facts = new Map()

/** Shows the store, and its state in the page's head. */
export function show({ version, store, went_back: lines }) {
  say(at('version'), version)
  tell(store.status)
  const back = store.status === 'degraded' ? lines.map(backLine).join('; ') : ''
  say(at('store-detail'), [WORDS[store.status], store.detail, back].filter(Boolean).join(': '))
  fact('Place', store.place)
  fact('Id', store.id)
  fact('Its time', store.now_ms === undefined ? 'unknown' : clock(store.now_ms) + ' UTC')
  fact('Requests that wait', store.waiting === undefined ? undefined : grouped(store.waiting))
  fact('Write latency, p50 / p99', store.write_p50_us && `${ms(store.write_p50_us)} / ${ms(store.write_p99_us)}`)
  fact('Fences', grouped(store.generation))
  fact('Servers', store.servers && servers(store))
  fact('Journal', journal(store))
}

/** Sets the store's state in the page's head. */
export function tell(state, words = state) {
  at('state').dataset.state = state
  say(at('state'), words)
}

function fact(name, value) {
  if (value === undefined) return
  if (!facts.has(name)) {
    facts.set(name, make('dd'))
    at('store-facts').append(make('div', {}, make('dt', { text: name }), facts.get(name)))
  }
  say(facts.get(name), value)
}

function journal({ journal, journal_since_ms: since, journal_apart: apart }) {
  if (since === undefined) return journal && 'none: a restore of the store is not noticed'
  const place = apart ? 'on another disk than the store' : "on the store's own disk"
  return `${journal === 'failing' ? 'cannot be written, so nothing is granted; ' : ''}since ${moment(since)}, ${place}`
}

function servers({ servers, waits_for: silent }) {
  const names = silent.map(({ name, id }) => `${name} (${id.slice(0, 8)})`).join(', ')
  return `${grouped(servers)}${names && `; waits for ${names}`}`
}

const ms = (us) => (us === undefined ? '> 5 s' : `≤ ${us / 1_000} ms`)

function backLine(line) {
  return `${line.tag} (a holder has up to ${line.claimed_until}, the store knows ${line.max_id})`
}
