// One namespace's worker numbers: picture, counts, windows and their holders.

import { at, keep, make, say } from './dom.js'
import { grouped, long, moment, clock } from './format.js'
import * as grid from './grid.js'

const states = new Map()
const holders = new Map()

/** The chosen namespace. */
export const chosen = () => at('space').value

/** Calls `changed` when another namespace is chosen. */
export function start(changed) {
  grid.start()
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
  grid.show(numbers)
  const counts = Object.values(grid.STATES).map(([name, meaning]) => ({ name, meaning, cells: [grouped(numbers.counts[name])] }))
  keep(at('states'), states, counts, ({ name }) => name, stateRow)
  const windows = numbers.holders.map(({ worker, owner, held, sticky, granted_ms: granted, reserved_until_ms: until }) =>
    ({ worker, cells: [owner || '–', `${held ? 'held' : 'resting'}${sticky ? ', kept' : ''}`, clock(granted), clock(until)] }))
  keep(at('holders'), holders, windows, ({ worker }) => worker, ({ worker }) => row(make('th', { scope: 'row', class: 'number', text: worker }), 4))
  const none = numbers.holders.length === 0 ? 'Nobody has a window here.' : ''
  say(at('more-holders'), numbers.more_holders ? `The ${numbers.holders.length} that were granted last; leafid worker list has all.` : none)
}

function stateRow({ name, meaning }) {
  const first = make('th', { scope: 'row' }, make('span', { class: `swatch ${name}`, 'aria-hidden': 'true' }), name)
  const kept = row(first, 1)
  kept.node.append(make('td', { class: 'dim', text: meaning }))
  return kept
}

/** A row of so many cells, whose texts change. */
function row(first, count) {
  const cells = Array.from({ length: count }, () => make('td'))
  return { node: make('tr', {}, first, ...cells), update: (now) => cells.forEach((cell, i) => say(cell, now.cells[i])) }
}
