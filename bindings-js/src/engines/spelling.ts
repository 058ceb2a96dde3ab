/**
 * The other spelling of a name: `maxStep` is `max_step` to the engine and over HTTP. It turns both ways, so a name that
 * is wrong on one side is wrong on the other, too, and none has two spellings.
 */
export function respelled(name: string): string {
  return name.replace(/_([a-z])|([A-Z])/g, (_, small?: string, large?: string) => small?.toUpperCase() ?? `_${large!.toLowerCase()}`)
}

/** An object with its own fields in the other spelling; any other value as it is. Writes and reads JSON at every depth. */
export function withRespelled(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [respelled(name), item]))
}
