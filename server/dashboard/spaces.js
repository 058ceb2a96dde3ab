// One namespace's worker numbers: picture, counts, windows and holders.

import { at, keep, make, say } from './dom.js'
import { grouped, long, moment, clock } from './format.js'
import * as bits from './bits.js'
import * as grid from './grid.js'
import * as timeline from './timeline.js'

const states = new Map()
const holders = new Map()
let spaces = []

/** The chosen namespace. */
export const chosen = () => at('space').value

/** Calls `changed` when another namespace is chosen. */
export function start(changed) {
  grid.start()
  at('space').addEventListener('change', changed)
}

/** Lists the namespaces. */
export function choose(list) {
  spaces = list
  const select = at('space')
  const names = list.map(({ namespace }) => namespace)
  if (names.join() !== [...select.options].map(({ value }) => value).join()) {
    const before = select.value
    select.replaceChildren(...names.map((name) => make('option', { value: name, text: name })))
    if (names.includes(before)) select.value = before
  }
  const space = list.find(({ namespace }) => namespace === select.value)
  if (space) say(at('space-about'), about(space))
}

function about({ layout, last_ms: last, workers, max_window_ms: window, more_per_day: more, numbers }) {
  const free = numbers.fresh + numbers.free
  const parts = [bits.words(layout), `numbers ${grouped(workers.start)} to ${grouped(workers.end - 1)}`, `windows of ${long(window)} at most`, `time bits end ${moment(last).slice(0, 10)}`]
  if (more !== undefined && more !== '0') parts.push(`numbers all in use in ${long((free / Number(more)) * 86_400_000)} at this rate`)
  return parts.join(' · ')
}

/** Shows the numbers of the chosen namespace. */
export function show(numbers) {
  const space = spaces.find(({ namespace }) => namespace === numbers.namespace)
  if (!space) return
  grid.show(numbers)
  const counts = Object.entries(grid.STATES).map(([letter, [name, meaning]]) => ({ letter, name, meaning, count: numbers.counts[name] }))
  keep(at('states'), states, counts, ({ name }) => name, stateRow)
  timeline.show(numbers.now_ms, numbers.holders, bits.read(space.layout), space.max_window_ms)
  keep(at('holders'), holders, numbers.holders, ({ worker }) => worker, holderRow)
  const none = numbers.holders.length === 0 ? 'Nobody has a window here.' : ''
  say(at('more-holders'), numbers.more_holders ? `The ${numbers.holders.length} that were granted last; leafid worker list has all.` : none)
}

function stateRow({ name, meaning }) {
  const count = make('td', { class: 'number' })
  const row = make('tr', {}, make('th', { scope: 'row' }, make('span', { class: `swatch ${name}`, 'aria-hidden': 'true' }), name), count, make('td', { class: 'dim', text: meaning }))
  return { nodes: [row], update: (now) => say(count, grouped(now.count)) }
}

function holderRow({ worker }) {
  const [owner, state, granted, ends] = [0, 1, 2, 3].map(() => make('td'))
  const row = make('tr', {}, make('th', { scope: 'row', class: 'number', text: worker }), owner, state, granted, ends)
  const update = (now) => {
    say(owner, now.owner || '–')
    say(state, `${now.held ? 'held' : 'resting'}${now.sticky ? ', kept' : ''}`)
    say(granted, clock(now.granted_ms))
    say(ends, clock(now.reserved_until_ms))
  }
  return { nodes: [row], update }
}
