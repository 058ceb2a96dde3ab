// The tags: how far each has come, how fast, and when it will end.

import { at, keep, make, say } from './dom.js'
import { clock, grouped, long, percent } from './format.js'

const DAY_MS = 86_400_000
/** The usual ends: an INT column, a JavaScript number, a BIGINT column. */
const ENDS = [31n, 53n, 63n].map((bits) => [`${bits} bits`, 1n << bits])
const rows = new Map()
let shown = { tags: [], more_tags: false }

/** Shows the tags, or how to create the first one. */
export function show(overview) {
  if (overview) shown = overview
  const filter = at('tag-filter').value.trim().toLowerCase()
  const all = shown.tags ?? []
  const found = all.filter(({ tag }) => tag.toLowerCase().includes(filter))
  keep(at('tag-rows'), rows, found, ({ tag }) => tag, row)
  at('first-tag').hidden = all.length > 0
  at('tags').hidden = all.length === 0
  const more = shown.more_tags ? ', and there are others: leafid tag list' : ''
  say(at('tag-count'), filter ? `${found.length} of ${all.length}${more}` : `${all.length} ${all.length === 1 ? 'tag' : 'tags'}${more}`)
}

/** Updates on the filter. */
export function start() {
  at('tag-filter').addEventListener('input', () => show())
  const url = `--url ${location.origin}`
  at('first-commands').textContent = `leafid tag create orders ${url}\nleafid next orders ${url}`
}

function row({ tag }) {
  const [position, step, daily] = [0, 1, 2].map(() => make('td', { class: 'number' }))
  const [text, bar] = [make('span'), make('progress', { max: 1, 'aria-hidden': 'true' })]
  const end = make('td', { class: 'end' }, text, bar)
  const more = make('ul')
  const first = make('details', {}, make('summary', { title: 'Further ends, and ranges in use', text: tag }), more)
  const node = make('tr', {}, make('th', { scope: 'row' }, first), position, step, daily, end)
  const update = (now) => {
    say(position, grouped(now.max_id))
    say(step, grouped(now.step))
    say(daily, now.per_day === undefined ? 'unknown' : grouped(now.per_day))
    const [next, ...later] = ends(now)
    say(text, next.text)
    bar.value = next.used
    end.dataset.near = next.near
    more.replaceChildren(...[...later.map(({ text }) => text), ...inUse(now)].map((text) => make('li', { text })))
  }
  return { node, update }
}

/** The ends ahead of a tag, its own first: how much is used up to each, and the time left at the present rate. */
function ends({ max_id: position, until, per_day: daily }) {
  const own = until === undefined ? [] : [['own end', BigInt(until)]]
  const ahead = ENDS.filter(([, end]) => BigInt(position) < end && own.every(([, until]) => end < until))
  return [...own, ...ahead].map(([name, end]) => {
    const used = Number(position) / Number(end)
    const left = BigInt(position) < end && (daily === undefined || daily === '0') ? Infinity : (Number(end - BigInt(position)) / Number(daily)) * DAY_MS
    const near = used >= 1 || left < 30 * DAY_MS ? 'yes' : used >= 0.9 || left < 365 * DAY_MS ? 'soon' : 'no'
    return { used, near, text: `${percent(used)} of ${name}${Number.isFinite(left) ? ` · ${long(left)} left` : ''}` }
  })
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
