// The decoder: draws the bits of an ID, and explains them.

import { at, draw, make, say } from './dom.js'
import { grouped, moment } from './format.js'
import * as bits from './bits.js'

const layouts = new Map(Object.entries(bits.PRESETS))
const CELL = 14

/** Updates on input. */
export function start() {
  offer([])
  for (const [id, event] of [['decode-id', 'input'], ['decode-layout', 'change']]) at(id).addEventListener(event, show)
  at('decode').addEventListener('submit', (event) => {
    event.preventDefault()
    show()
  })
}

/** Offers the presets, and the layouts of these namespaces. */
export function offer(spaces) {
  for (const { namespace, layout } of spaces) layouts.set(`of ${namespace}`, bits.read(layout))
  const select = at('decode-layout')
  for (const [name, layout] of layouts) {
    const is = (option) => option.value === name
    if ([...select.options].some(is)) continue
    select.append(make('option', { value: name, text: `${name} (${bits.words(layout)})` }))
  }
}

function show() {
  const text = at('decode-id').value.trim()
  const layout = layouts.get(at('decode-layout').value)
  const id = bits.parse(text)
  const parts = id === undefined ? undefined : bits.decompose(id, layout)
  at('parts').hidden = parts === undefined
  at('bits').replaceChildren()
  if (text === '') return say(at('decode-wrong'), '')
  if (id === undefined) return say(at('decode-wrong'), `This is no ID: IDs are decimal digits, from 0 to ${grouped((1n << 63n) - 1n)}.`)
  if (parts === undefined) return say(at('decode-wrong'), `It is too large for this layout, which has ${layout.time_bits + layout.worker_bits + layout.sequence_bits} bits.`)
  say(at('decode-wrong'), '')
  at('bits').append(picture(id, layout))
  at('part-rows').replaceChildren(
    row('time', layout.time_bits, parts.tick, `${moment(Number(parts.time_ms))} (${parts.time_ms} ms since 1970)`),
    row('worker', layout.worker_bits, parts.worker, `worker number ${parts.worker}`),
    row('sequence', layout.sequence_bits, parts.sequence, `ID ${grouped(parts.sequence + 1n)} of ${grouped(1n << BigInt(layout.sequence_bits))} in its tick of ${layout.tick_ms} ms`))
}

function row(part, width, value, meaning) {
  return make('tr', {}, make('th', { scope: 'row' }, make('span', { class: `swatch ${part}`, 'aria-hidden': 'true' }), part),
    make('td', { text: width }), make('td', { class: 'value', text: String(value) }), make('td', { text: meaning }))
}

/** Draws 64 cells in two lines, or four if there is less room, the highest bit first. */
function picture(id, layout) {
  const line = at('bits').clientWidth < 32 * CELL + 18 ? 16 : 32
  const place = (i) => [(i % line) * CELL + Math.floor((i % line) / 8) * 6, Math.floor(i / line) * 34]
  const cells = bits.bits(id, layout).map(({ part, set }, i) => {
    const [x, y] = place(i)
    return draw('g', { class: `bit ${part}${set ? ' set' : ''}` },
      draw('rect', { x, y: y + 10, width: CELL - 2, height: 20, rx: 2 }),
      draw('text', { x: x + CELL / 2 - 1, y: y + 24, 'text-anchor': 'middle' }, set ? '1' : '0'))
  })
  const marks = [0, 8, 16, 24, 32, 40, 48, 56].map((i) =>
    draw('text', { class: 'axis', x: place(i)[0], y: place(i)[1] + 8 }, String(63 - i)))
  const [width, height] = [line * CELL + (line / 8 - 1) * 6, (64 / line) * 34 - 2]
  return draw('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `The 64 bits of ${id}, the highest first: ${id.toString(2).padStart(64, '0')}` }, ...cells, ...marks)
}
