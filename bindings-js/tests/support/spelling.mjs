// Names of fields in their other spelling: `max_step` of the vectors and of HTTP is `maxStep` in JavaScript.

export function respelled(name) {
  return name.replace(/_([a-z])|([A-Z])/g, (_, small, large) => small?.toUpperCase() ?? `_${large.toLowerCase()}`)
}

/** Writes and reads JSON with every field respelled. */
export function fields(_, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [respelled(name), item]))
}
