// The tags: how far each has come, how fast, and when it will end.

import { at, draw, keep, make, say } from './dom.js'
import { clock, grouped, long, percent } from './format.js'

const DAY_MS = 86_400_000
/** The usual ends: an INT column, a JavaScript number, a BIGINT column. */
const ENDS = [(1n << 31n) - 1n, (1n << 53n) - 1n, (1n << 63n) - 1n]
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
  const open = make('button', { type: 'button', class: 'open', 'aria-expanded': 'false', title: 'Ranges in use', onclick: flip }, tag)
  const [position, step, daily] = [0, 1, 2].map(() => make('td', { class: 'number' }))
  const own = end()
  const ends = ENDS.map(() => end())
  const first = make('tr', {}, make('th', { scope: 'row' }, open), position, step, daily, own.cell, ...ends.map(({ cell }) => cell))
  const ranges = make('div')
  const second = make('tr', { class: 'more', hidden: true }, make('td', { colspan: 8 }, ranges))
  function flip() {
    second.hidden = !second.hidden
    open.setAttribute('aria-expanded', String(!second.hidden))
  }
  const update = (now) => {
    const at = BigInt(now.max_id)
    say(position, grouped(now.max_id))
    say(step, grouped(now.step))
    say(daily, now.per_day === undefined ? '…' : grouped(now.per_day))
    own.update(at, now.until === undefined ? undefined : BigInt(now.until), now.per_day)
    ENDS.forEach((last, i) => ends[i].update(at, last + 1n, now.per_day))
    ranges.replaceChildren(...inUse(now))
  }
  return { nodes: [first, second], update }
}

/** A cell with the used part of a tag's numbers, and the time of its end. */
function end() {
  const text = make('span')
  const bar = draw('rect', { height: 4, rx: 1 })
  const cell = make('td', { class: 'end' }, text, draw('svg', { class: 'bar', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, draw('rect', { class: 'all', width: 100, height: 4, rx: 1 }), bar))
  const update = (position, until, daily) => {
    cell.classList.toggle('none', until === undefined)
    if (until === undefined) return say(text, 'none')
    const used = position >= until ? 1 : Number((position * 1_000_000n) / until) / 1_000_000
    const left = used >= 1 ? 0 : leftMs(until - position, daily)
    bar.setAttribute('width', String(Math.max(used * 100, 0.5)))
    cell.dataset.near = used >= 1 || left < 30 * DAY_MS ? 'yes' : used >= 0.9 || left < 365 * DAY_MS ? 'soon' : 'no'
    say(text, used >= 1 ? 'past it' : Number.isFinite(left) ? `${percent(used)} · ${long(left)}` : percent(used))
  }
  return { cell, update }
}

function leftMs(left, daily) {
  // If nothing is leased, or the rate is still unknown, only the used part is shown.
  return daily === undefined || daily === '0' ? Infinity : (Number(left) / Number(daily)) * DAY_MS
}

/** A tag's ranges known to this server: its own, and those it leased last. */
function inUse({ at_hand: hand, recent = [] }) {
  const lines = []
  for (const { start, end } of hand?.ranges ?? []) {
    const used = BigInt(hand.next) > BigInt(start) ? BigInt(hand.next) - BigInt(start) : 0n
    const all = BigInt(end) - BigInt(start)
    lines.push(make('li', {}, `${range(start, end)}: handed out by this server itself, ${percent(Number(used) / Number(all))} used`))
  }
  const own = (lease) => hand?.ranges.some(({ start, end }) => lease.start === start && lease.end === end)
  for (const { start, end, at_ms: when } of recent.filter((lease) => !own(lease)).reverse()) {
    lines.push(make('li', {}, `${range(start, end)}: leased at ${clock(when)} UTC`))
  }
  const none = 'No range was leased from this server since it started.'
  return lines.length ? [make('h3', { text: 'Ranges in use, the newest first' }), make('ul', {}, ...lines)] : [make('p', { text: none })]
}

const range = (start, end) => `${grouped(start)} to ${grouped(BigInt(end) - 1n)}`
