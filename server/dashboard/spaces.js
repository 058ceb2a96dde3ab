// One namespace's worker numbers: how many are in each state, windows and their holders.

import { at, keep, make, say } from './dom.js'
import { clock, grouped, long, moment, percent } from './format.js'

/** What each state means. */
const STATES = {
  held: 'a process has a window on it',
  resting: 'given up, and its window is not over',
  aside: 'used outside of leafid',
  kept: 'free, and kept for its owner',
  free: 'anybody may have it',
  fresh: 'never handed out',
}
const states = new Map()
const shares = new Map()
const holders = new Map()

/** The chosen namespace. */
export const chosen = () => at('space').value

/** Calls `changed` when another namespace is chosen. */
export function start(changed) {
  at('space').addEventListener('change', changed)
}

/** Lists the namespaces. */
export function choose(list) {
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
  const bits = `${layout.time_bits}/${layout.worker_bits}/${layout.sequence_bits} bits, ${layout.tick_ms} ms`
  const parts = [bits, `numbers ${grouped(workers.start)} to ${grouped(workers.end - 1)}`, `windows of ${long(window)} at most`, `time bits end ${moment(last).slice(0, 10)}`]
  const free = numbers.fresh + numbers.free
  if (more !== undefined && more !== '0') parts.push(`numbers all in use in ${long((free / Number(more)) * 86_400_000)} at this rate`)
  return parts.join(' · ')
}

/** Shows the numbers of the chosen namespace. */
export function show(numbers) {
  const all = Object.values(numbers.counts).reduce((sum, count) => sum + count)
  const counts = Object.keys(STATES).map((name) => ({ name, count: numbers.counts[name] })).filter(({ count }) => count > 0)
  const figures = counts.map(({ name, count }) => ({ name, cells: [grouped(count), percent(count / all), STATES[name]] }))
  keep(at('states'), states, figures, ({ name }) => name, stateRow)
  keep(at('shares'), shares, counts, ({ name }) => name, share)
  const windows = numbers.holders.map(({ worker, owner, held, sticky, granted_ms: granted, reserved_until_ms: until }) =>
    ({ worker, cells: [owner || '–', `${held ? 'held' : 'resting'}${sticky ? ', kept' : ''}`, clock(granted), clock(until)] }))
  keep(at('holders'), holders, windows, ({ worker }) => worker, ({ worker }) => row(make('th', { scope: 'row', class: 'number', text: worker }), 4))
  const none = numbers.holders.length === 0 ? 'Nobody has a window here.' : ''
  say(at('more-holders'), numbers.more_holders ? `The ${numbers.holders.length} that were granted last; leafid worker list has all.` : none)
}

function stateRow({ name }) {
  return row(make('th', { scope: 'row' }, make('span', { class: `swatch ${name}`, 'aria-hidden': 'true' }), name), 3)
}

/** A part of the bar, as long as its share of all numbers. */
function share({ name }) {
  const node = make('span', { class: name })
  return { node, update: ({ count }) => (node.style.flexGrow = count) }
}

/** A row of so many cells, whose texts change. */
function row(first, count) {
  const cells = Array.from({ length: count }, () => make('td'))
  return { node: make('tr', {}, first, ...cells), update: (now) => cells.forEach((cell, i) => say(cell, now.cells[i])) }
}
