// The tags: how far each has come, how fast, and when it will end.

import { at, keep, make, say } from './dom.js'
import { clock, grouped, long, percent } from './format.js'

const DAY_MS = 86_400_000
/** The usual ends: an INT column, a JavaScript number, a BIGINT column. */
const ENDS = [1n << 31n, 1n << 53n, 1n << 63n]
const rows = new Map()
let shown = { tags: [], more_tags: false }

/** Shows the tags. */
export function show(overview) {
  if (overview) shown = overview
  const filter = at('tag-filter').value.trim().toLowerCase()
  const all = shown.tags ?? []
  const found = all.filter(({ tag }) => tag.toLowerCase().includes(filter))
  keep(at('tag-rows'), rows, found, ({ tag }) => tag, row)
  const more = shown.more_tags ? ', and there are others: leafid tag list' : ''
  say(at('tag-count'), filter ? `${found.length} of ${all.length}${more}` : `${all.length} ${all.length === 1 ? 'tag' : 'tags'}${more}`)
}

/** Updates on the filter. */
export function start() {
  at('tag-filter').addEventListener('input', () => show())
}

function row({ tag }) {
  const [position, step, daily] = [0, 1, 2].map(() => make('td', { class: 'number' }))
  const ends = [undefined, ...ENDS].map(end)
  const ranges = make('ul')
  const first = make('details', {}, make('summary', { title: 'Ranges in use', text: tag }), ranges)
  const node = make('tr', {}, make('th', { scope: 'row' }, first), position, step, daily, ...ends.map(({ cell }) => cell))
  const update = (now) => {
    say(position, grouped(now.max_id))
    say(step, grouped(now.step))
    say(daily, now.per_day === undefined ? '…' : grouped(now.per_day))
    ends.forEach((each) => each.update(now))
    ranges.replaceChildren(...inUse(now).map((text) => make('li', { text })))
  }
  return { node, update }
}

/** A cell with the used part of a tag's numbers up to `last`, or else its `until`, and the time of that end. */
function end(last) {
  const [text, bar] = [make('span'), make('progress', { max: 1, 'aria-hidden': 'true' })]
  const cell = make('td', { class: 'end' }, text, bar)
  const update = ({ max_id: position, until: own, per_day: daily }) => {
    const until = last ?? (own && BigInt(own))
    bar.hidden = until === undefined
    if (until === undefined) return say(text, 'none')
    const used = Math.min(Number(position) / Number(until), 1)
    const left = used < 1 && (daily === undefined || daily === '0') ? Infinity : (Number(until - BigInt(position)) / Number(daily)) * DAY_MS
    bar.value = used
    cell.dataset.near = used >= 1 || left < 30 * DAY_MS ? 'yes' : used >= 0.9 || left < 365 * DAY_MS ? 'soon' : 'no'
    say(text, used >= 1 ? 'past it' : Number.isFinite(left) ? `${percent(used)} · ${long(left)}` : percent(used))
  }
  return { cell, update }
}

/** A tag's ranges known to this server: its own, and those it leased last. */
function inUse({ at_hand: hand = { ranges: [] }, recent }) {
  const range = ({ start, end }) => `${grouped(start)} to ${grouped(BigInt(end) - 1n)}`
  const used = ({ start, end }) => Math.max(0, Number(BigInt(hand.next) - BigInt(start)) / Number(BigInt(end) - BigInt(start)))
  const own = hand.ranges.map((each) => `${range(each)}: handed out by this server itself, ${percent(used(each))} used`)
  const others = recent.filter(({ start }) => hand.ranges.every((each) => each.start !== start))
  const lines = [...own, ...others.reverse().map((each) => `${range(each)}: leased at ${clock(each.at_ms)} UTC`)]
  return lines.length ? lines : ['No range was leased from this server since it started.']
}
