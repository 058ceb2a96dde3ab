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
let chosen = -1

/** Updates on the pointer, the keys and the page's colours. */
export function start() {
  const canvas = at('grid')
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -canvas.width, ArrowDown: canvas.width, Home: -Infinity, End: Infinity }[event.key]
    if (by === undefined) return
    event.preventDefault()
    choose(chosen < 0 ? 0 : Math.min(seen.states.length - 1, Math.max(0, chosen + by)))
  })
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const size = canvas.clientWidth / canvas.width
    choose(Math.floor(offsetY / size) * canvas.width + Math.floor(offsetX / size))
  })
  canvas.addEventListener('pointerleave', () => choose(-1))
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)
}

/** Shows these numbers. */
export function show({ first, states, holders }) {
  seen = { first, states, holders: new Map(holders.map((row) => [row.worker, row])) }
  paint()
  choose(chosen)
}

function choose(place) {
  chosen = place < seen.states.length ? place : -1
  if (chosen < 0) return say(at('grid-at'), `Numbers ${seen.first} to ${seen.first + seen.states.length - 1}`)
  const number = seen.first + chosen
  const [name, meaning] = STATES[seen.states[chosen]] ?? ['unknown', '']
  const owner = seen.holders.get(number)?.owner
  say(at('grid-at'), `Number ${number}: ${name}${owner ? ` by ${owner}` : ''} (${meaning})`)
}

/** One pixel a number, which the style sheet enlarges; a power of two is the most readable width. */
function paint() {
  const canvas = at('grid')
  const count = seen.states.length
  canvas.width = 2 ** Math.ceil(Math.log2(Math.max(count, 1) * (count > 16_384 ? 1 : 2)) / 2)
  canvas.height = Math.max(1, Math.ceil(count / canvas.width))
  const to = canvas.getContext('2d')
  const pixels = to.createImageData(canvas.width, canvas.height)
  const colours = palette()
  for (let i = 0; i < count; i += 1) pixels.data.set(colours[seen.states[i]] ?? colours['.'], i * 4)
  to.putImageData(pixels, 0, 0)
}

function palette() {
  const style = getComputedStyle(document.documentElement)
  const entries = Object.entries(STATES).map(([letter, [name]]) => {
    const hex = Number.parseInt(style.getPropertyValue(`--${name}`).trim().slice(1), 16)
    return [letter, [hex >> 16, (hex >> 8) & 255, hex & 255, 255]]
  })
  return Object.fromEntries(entries)
}
