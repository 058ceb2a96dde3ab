import { env } from 'cloudflare:workers'
import { LeafidError } from '../values/errors.js'
import { quoted, shown } from '../values/shown.js'

/** A binding's name, or a function that gives the binding where `env` cannot be imported. */
export type Binding<T> = string | (() => T)

/** What a binding must be, and the lines of `wrangler.jsonc` that declare it. */
export interface Expected {
  /** The noun, as in "is no Durable Object". */
  what: string
  method: string
  lines: (name: string) => string
}

/** This request's binding, valid for it alone. `REQUEST_INVALID` with the lines that are missing. */
export function bound<T>(binding: Binding<T>, { what, method, lines }: Expected): T {
  const found = typeof binding === 'string' ? (env as Record<string, unknown> | undefined)?.[binding] : binding()
  if (typeof (found as Record<string, unknown> | null | undefined)?.[method] === 'function') return found as T
  const name = typeof binding === 'string' ? binding : 'NAME'
  const got = found === undefined ? 'there is no such binding' : `it is ${shown(found)}`
  throw new LeafidError('REQUEST_INVALID', `${quoted(name)} must be ${what}, and ${got}: add to wrangler.jsonc\n${lines(name)}`)
}

export function checkBinding(binding: unknown, verb: string): void {
  if ((typeof binding === 'string' && binding !== '') || typeof binding === 'function') return
  throw new LeafidError('REQUEST_INVALID', `${verb} needs the name of a binding, such as 'IDS', got ${shown(binding)}`)
}
