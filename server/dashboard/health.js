// The stores: whether they grant, and what an operator has to know of them.

import { at, keep, make, say } from './dom.js'
import { clock, grouped, moment } from './format.js'

const WORDS = {
  ok: 'grants',
  degraded: 'grants, but not of these tags',
  refused: 'grants nothing: an operator has to look',
  unavailable: 'cannot be reached',
}
const ORDER = ['ok', 'degraded', 'unavailable', 'refused']
const cards = new Map()

/** Shows the stores, and the worst of them in the page's head. */
export function show({ version, stores, went_back: lines }) {
  say(at('version'), version)
  const worst = stores.reduce((worst, { status }) => Math.max(worst, ORDER.indexOf(status)), 0)
  tell(ORDER[worst] ?? 'unavailable')
  keep(at('store-cards'), cards, stores.map((store) => ({ ...store, lines })), (store) => store.name, card)
}

/** Says the state of the whole in the page's head. */
export function tell(state, words = state) {
  at('state').dataset.state = state
  say(at('state'), words)
}

function card(first) {
  const title = make('h3', { text: first.name === 'main' ? 'Store' : `Store of the ${first.name}` })
  const state = make('p', { class: 'pill' })
  const detail = make('p', { class: 'detail' })
  const facts = make('dl')
  const box = make('article', { class: 'card' }, make('div', { class: 'head' }, title, state), detail, facts)
  const values = new Map()
  const fact = (name, value) => {
    if (value === undefined) return
    if (!values.has(name)) {
      values.set(name, make('dd'))
      facts.append(make('div', {}, make('dt', { text: name }), values.get(name)))
    }
    say(values.get(name), value)
  }
  const update = (store) => {
    state.dataset.state = store.status
    say(state, store.status)
    const back = store.lines.map(backLine).join('; ')
    say(detail, [WORDS[store.status], store.detail, store.status === 'degraded' ? back : ''].filter(Boolean).join(': '))
    fact('Place', store.place)
    fact('Id', store.store)
    fact('Its time', store.now_ms === undefined ? 'unknown' : clock(store.now_ms) + ' UTC')
    fact('Requests that wait', store.waiting === undefined ? undefined : grouped(store.waiting))
    fact('Write latency, p50 / p99', store.write_p50_us && `${ms(store.write_p50_us)} / ${ms(store.write_p99_us)}`)
    fact('Fences', grouped(store.generation))
    fact('Journal', journal(store))
  }
  return { nodes: [box], update }
}

function journal({ journal, journal_since_ms: since, journal_apart: apart }) {
  if (since === undefined) return journal && 'none: a restore of the store is not noticed'
  const place = apart ? 'on another disk than the store' : "on the store's own disk"
  return `${journal === 'failing' ? 'cannot be written, so nothing is granted; ' : ''}since ${moment(since)}, ${place}`
}

const ms = (us) => (us === undefined ? '> 5 s' : `≤ ${us / 1_000} ms`)

function backLine(line) {
  return `${line.tag} (a holder has up to ${line.claimed_until}, the store knows ${line.max_id})`
}
