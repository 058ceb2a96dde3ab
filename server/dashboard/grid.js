// Draws a namespace's worker numbers as cells, each in the colour of its state.

import { at, say } from './dom.js'

/** The states by letter: name and meaning. */
export const STATES = {
  '.': ['fresh', 'never handed out'],
  f: ['free', 'anybody may have it'],
  k: ['kept', 'free, and kept for its owner'],
  r: ['resting', 'given up, and its window is not over'],
  h: ['held', 'a process has a window on it'],
  a: ['aside', 'used outside of leafid'],
}
let seen = { first: 0, states: '', holders: new Map() }
let columns = 1
let chosen = -1

/** Updates on the pointer, the keys, the page's size and its colours. */
export function start() {
  const canvas = at('grid')
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -Infinity, End: Infinity }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const last = seen.states.length - 1
    choose(chosen < 0 ? 0 : Math.min(last, Math.max(0, chosen + by)))
  })
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const size = canvas.clientWidth / columns
    const [x, y] = [Math.floor(offsetX / size), Math.floor(offsetY / size)]
    choose(x < columns && y * columns + x < seen.states.length ? y * columns + x : -1)
  })
  canvas.addEventListener('pointerleave', () => choose(-1))
  new ResizeObserver(paint).observe(canvas.parentElement)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)
}

/** Shows these numbers. */
export function show({ first, states, holders }) {
  seen = { first, states, holders: new Map(holders.map((row) => [row.worker, row])) }
  if (chosen >= states.length) chosen = -1
  paint()
  tell()
}

function choose(place) {
  if (place === chosen) return
  chosen = place
  paint()
  tell()
}

function tell() {
  if (chosen < 0) return say(at('grid-at'), `Numbers ${seen.first} to ${seen.first + seen.states.length - 1}`)
  const number = seen.first + chosen
  const [name, meaning] = STATES[seen.states[chosen]] ?? ['unknown', '']
  const owner = seen.holders.get(number)?.owner
  say(at('grid-at'), `Number ${number}: ${name}${owner ? ` by ${owner}` : ''} (${meaning})`)
}

/** Powers of two are the most readable: twice as wide as high, and square if there are many. */
function shape(count) {
  let wide = 1
  while (wide * wide < (count > 16_384 ? count : count * 2)) wide *= 2
  return wide
}

function paint() {
  const canvas = at('grid')
  const count = seen.states.length
  const width = Math.min(canvas.parentElement.clientWidth, count > 16_384 ? 512 : 720)
  columns = shape(Math.max(count, 1))
  const rows = Math.max(1, Math.ceil(count / columns))
  const picture = new OffscreenCanvas(columns, rows)
  const to = picture.getContext('2d')
  const pixels = to.createImageData(columns, rows)
  const colours = palette()
  for (let i = 0; i < count; i += 1) pixels.data.set(colours[seen.states[i]] ?? colours['.'], i * 4)
  to.putImageData(pixels, 0, 0)
  const scale = (width / columns) * devicePixelRatio
  canvas.width = Math.round(columns * scale)
  canvas.height = Math.round(rows * scale)
  canvas.style.width = `${width}px`
  canvas.style.height = `${(width / columns) * rows}px`
  const screen = canvas.getContext('2d')
  screen.imageSmoothingEnabled = false
  screen.drawImage(picture, 0, 0, canvas.width, canvas.height)
  if (scale >= 6 * devicePixelRatio) lines(screen, scale, rows)
  if (chosen >= 0) mark(screen, scale)
}

function lines(screen, scale, rows) {
  screen.fillStyle = colour('--panel')
  for (let x = 1; x < columns; x += 1) screen.fillRect(Math.round(x * scale) - 0.5, 0, 1, rows * scale)
  for (let y = 1; y < rows; y += 1) screen.fillRect(0, Math.round(y * scale) - 0.5, columns * scale, 1)
}

function mark(screen, scale) {
  const size = Math.max(scale, 7 * devicePixelRatio)
  const middle = (place) => (place + 0.5) * scale - size / 2
  screen.lineWidth = 2 * devicePixelRatio
  screen.strokeStyle = colour('--text')
  screen.strokeRect(middle(chosen % columns), middle(Math.floor(chosen / columns)), size, size)
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function palette() {
  const entries = Object.entries(STATES).map(([letter, [name]]) => {
    const hex = Number.parseInt(colour(`--${name}`).slice(1), 16)
    return [letter, [hex >> 16, (hex >> 8) & 255, hex & 255, 255]]
  })
  return Object.fromEntries(entries)
}
