// Windows on a time line: from the holder's first tick to the window's end.

import { at, draw } from './dom.js'
import { clock, long } from './format.js'

const MOST = 24
const ROW = 16
const LEFT = 126
const HEAD = 18

/** Shows these holders' windows, those granted last. */
export function show(now, holders, layout, maxWindow) {
  const shown = [...holders].sort((a, b) => b.granted_ms - a.granted_ms).slice(0, MOST).sort((a, b) => a.worker - b.worker)
  if (shown.length === 0) return at('timeline').replaceChildren()
  const furthest = Math.max(...shown.map((row) => row.reserved_until_ms))
  const ahead = Math.max(furthest - now, 1_000)
  const begin = (row) => Number(layout.epoch_ms + BigInt(row.held_from) * layout.tick_ms)
  // The past gets no more room than the future, and no more than a window.
  const from = Math.max(now - Math.min(ahead, maxWindow), Math.min(...shown.map(begin)))
  const to = now + ahead
  const width = Math.min(Math.max(at('timeline').clientWidth, 300), 720)
  const x = (ms) => LEFT + ((Math.min(Math.max(ms, from), to) - from) / (to - from)) * (width - LEFT - 8)
  const height = HEAD + shown.length * ROW + 4
  const bars = shown.map((row, i) => bar(row, HEAD + i * ROW, [x(begin(row)), x(row.reserved_until_ms)]))
  const label = `${shown.length} windows, from ${clock(from)} to ${clock(to)} UTC; the table below has all of them`
  const picture = draw('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
    ...bars.flat(),
    draw('line', { class: 'now', x1: x(now), x2: x(now), y1: HEAD - 4, y2: height }),
    draw('text', { class: 'axis', x: x(now), y: 11, 'text-anchor': 'middle' }, `now ${clock(now)}`),
    draw('text', { class: 'axis', x: width - 8, y: 11, 'text-anchor': 'end' }, `in ${long(ahead)}`))
  at('timeline').replaceChildren(picture)
}

function bar(row, y, [left, right]) {
  return [
    draw('text', { x: LEFT - 6, y: y + 11, 'text-anchor': 'end' }, short(`${row.worker} ${row.owner}`)),
    draw('rect', { class: row.held ? 'held' : 'resting', x: left, y: y + 2, width: Math.max(right - left, 2), height: ROW - 5, rx: 2 },
      draw('title', {}, `${row.worker} ${row.owner}: until ${clock(row.reserved_until_ms)} UTC`)),
  ]
}

const short = (text) => (text.length > 17 ? `${text.slice(0, 16)}…` : text)
