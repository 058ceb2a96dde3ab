// In a page: draws, and tells the server that it came from.
import { draw } from './draw.mjs'

draw(new URLSearchParams(location.search).get('store') ?? 'memory:').then(
  (told) => fetch('/told', { method: 'POST', body: JSON.stringify(told) }),
  (error) => fetch('/told', { method: 'POST', body: JSON.stringify({ error: String(error?.stack ?? error) }) }),
)
