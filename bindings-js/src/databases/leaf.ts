import { named } from '../sql/dialect.js'
import { LEAF, SCHEMA } from './mysql-texts.js'

/** What stands before the names of our tables, beside another program's. */
const PREFIX = 'leafid_'
/** What stands before the name of a table in a text. */
const BEFORE = new Set(['FROM', 'INTO', 'UPDATE', 'EXISTS', 'JOIN', 'TABLE'])
const OURS = new Set([...SCHEMA.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name]) => name))

/** A text with our tables under their names in Leaf's database: the words that follow one of `BEFORE`, and those in quotes. */
export function prefixed(text: string): string {
  let before = ''
  return text.replace(/(')?([^\s(),;']+)/g, (whole, quote: string | undefined, word: string) => {
    const isName = OURS.has(word) && (quote !== undefined || BEFORE.has(before))
    before = word
    return isName ? `${quote ?? ''}${PREFIX}${word}` : whole
  })
}

/** The texts over Leaf's table, by their names: those in `leaf/` are Leaf's, the others ours. */
export function leafText(text: string, texts: Readonly<Record<string, string>>): string {
  const isLeafs = text.startsWith('leaf/') || text === 'found'
  return prefixed(named(text, isLeafs ? LEAF : texts))
}
