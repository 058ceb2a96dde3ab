/** The longest text, in characters; longer ones are cut. */
const MOST = 160
/** How many items of a list, or fields of an object, to show. */
const ITEMS = 8

/** Control characters. `\p{Cc}` would scan all of Unicode at first use, which slows a cold start. */
const CONTROLS = /[\0-\x1f\x7f-\x9f]/g

/** A caller's value for a message: in backticks, on one line, shortened. */
export function shown(value: unknown): string {
  return quoted(described(value, 2))
}

/** A text for a message: as `shown`, without a string's quotes. */
export function quoted(text: string): string {
  const clean = withoutPassword(text).replace(CONTROLS, escaped)
  return `\`${clean.length > MOST ? `${clean.slice(0, MOST)}…` : clean}\``
}

/** Names for a message: `` `a`, `b` ``. */
export function listed(names: readonly string[]): string {
  return names.map(quoted).join(', ')
}

/** As `shown`, for an address: without the login. A password may contain `@` or `/`: the last `@` ends it. */
export function shownAddress(value: unknown): string {
  if (value instanceof URL) return quoted(masked(value.href))
  return shown(typeof value === 'string' ? masked(value) : value)
}

function masked(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@')
}

/** Hides the login of an address in a text, without a pattern: a store's answer may be long and full of `://`. */
function withoutPassword(text: string): string {
  const [start, end] = [text.indexOf('://'), text.lastIndexOf('@')]
  return start < 0 || end < start ? text : `${text.slice(0, start)}://***${text.slice(end)}`
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

function described(value: unknown, depth: number): string {
  if (typeof value === 'string') return `'${withoutPassword(value).slice(0, MOST)}'`
  if (typeof value === 'bigint') return `${value}n`
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return String(value)
  try {
    return typeof value === 'function' ? `function ${value.name || '()'}` : object(value, depth)
  } catch {
    // The value's own code threw: a proxy, a getter, a `toString`.
    return typeof value === 'function' ? 'a function' : 'an object'
  }
}

function object(value: object, depth: number): string {
  const name = value.constructor?.name ?? 'Object'
  if (ArrayBuffer.isView(value)) return `${name}(${'length' in value ? String(value.length) : value.byteLength})`
  if (Array.isArray(value)) return depth === 0 ? '[…]' : `[${list(value.map((item) => described(item, depth - 1)))}]`
  // Dates, URLs and errors have a text of their own.
  if (typeof value.toString === 'function' && value.toString !== Object.prototype.toString) return String(value)
  const fields = Object.entries(value)
  const text = depth === 0 && fields.length > 0 ? '{…}' : `{${list(fields.map(([field, item]) => `${field}: ${described(item, depth - 1)}`))}}`
  return name === 'Object' ? text : `${name} ${text}`
}

function list(items: string[]): string {
  return items.length > ITEMS ? `${items.slice(0, ITEMS).join(', ')}, …` : items.join(', ')
}
