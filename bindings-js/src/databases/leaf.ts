import { named } from '../sql/dialect.js'
import { LEAF, SCHEMA } from './mysql-texts.js'

/** Prefix of our tables in a database that another program uses, too. */
const PREFIX = 'leafid_'
/** The words that precede a table's name in a statement. */
const BEFORE = new Set(['FROM', 'INTO', 'UPDATE', 'EXISTS', 'JOIN', 'TABLE'])
const OURS = new Set([...SCHEMA.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name]) => name))

/** A statement with our tables under their names in Leaf's database: names after `BEFORE`, and quoted ones. */
export function prefixed(text: string): string {
  let before = ''
  return text.replace(/(')?([^\s(),;']+)/g, (whole, quote: string | undefined, word: string) => {
    const isName = OURS.has(word) && (quote !== undefined || BEFORE.has(before))
    before = word
    return isName ? `${quote ?? ''}${PREFIX}${word}` : whole
  })
}

/** A statement for Leaf's table by its name: those in `leaf/` use Leaf's table, the others ours. */
export function leafText(text: string, texts: Readonly<Record<string, string>>): string {
  const isLeafs = text.startsWith('leaf/') || text === 'found'
  return prefixed(named(text, isLeafs ? LEAF : texts))
}
