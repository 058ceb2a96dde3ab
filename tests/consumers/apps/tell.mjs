/** Draws from the store that the page's address names, and tells the server what came of it. */
export function tell(draw) {
  const named = new URLSearchParams(location.search).get('store')
  const post = (told) => fetch('/told', { method: 'POST', body: JSON.stringify({ page: location.pathname, ...told }) })
  draw(named ?? location.origin).then(post, (error) => post({ error: String(error?.stack ?? error) }))
}
