// The decoder: has the server take an ID apart.

import { at, make, say } from './dom.js'
import { moment } from './format.js'
import * as session from './session.js'

/** Decodes when the form is sent; `namespace` gives the one that is chosen. */
export function start(namespace) {
  at('decode').addEventListener('submit', async (event) => {
    event.preventDefault()
    const id = encodeURIComponent(at('decode-id').value.trim())
    try {
      const parts = await session.get(`/v1/decode/${id}?namespace=${encodeURIComponent(namespace())}`)
      show({ ...parts, time: `${moment(parts.time_ms)} (${parts.time_ms} ms since 1970)` }, '')
    } catch (error) {
      show({}, `${error.code}: ${error.message}`)
    }
  })
}

function show(parts, wrong) {
  say(at('decode-wrong'), wrong)
  const shown = ['time', 'tick', 'worker', 'sequence', 'base32'].filter((part) => parts[part] !== undefined)
  at('parts').replaceChildren(...shown.map((part) =>
    make('tr', {}, make('th', { scope: 'row', text: part }), make('td', { text: parts[part] }))))
}
