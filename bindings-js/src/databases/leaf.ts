import type { Dialect } from '../sql/dialect.js'
import type { Params } from '../sql/rows.js'
import type { Step } from '../sql/dialect.js'
import type { TagRow } from '../stores/registry.js'
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

/**
 * How a tag is written whose row is Leaf's: what Leaf's table has no room for stands in ours. Where only the position moves,
 * `tag_change` does it alone. Leaf's row is made first: that waits for whoever deletes it, and only then do our rows have the
 * position that it leaves.
 */
export function putTag(query: Dialect['query'], params: Params, after: TagRow, was: TagRow | undefined): Step[] {
  const write = (name: string): Step => ({ ...query(name, params), must: 'write' })
  const find = (name: string): Step => ({ ...query(name, params), must: 'find' })
  const adjust = (name: string): Step => ({ ...query(name, params), must: 'nothing' })
  if (was === undefined) return [write('leaf/tag_add'), find('leaf/tag_none'), write('tag_add')]
  if (was.deleted === true) return [write('leaf/tag_add'), find('leaf/tag_held'), adjust('leaf/tag_own')]
  const beside = ({ max_step, until, claimed_until }: TagRow) => [max_step, until, claimed_until].map(String).join()
  const isMove = beside(was) === beside(after)
  return [write('leaf/tag_change'), ...(isMove ? [] : [adjust('leaf/tag_own')])]
}

/** The texts over Leaf's table, by their names: those of a tag are Leaf's, the others ours. */
export function leafText(name: string, texts: Readonly<Record<string, string>>): string {
  const [own, leafs] = [name.replace(/^leaf\//, ''), LEAF as Readonly<Record<string, string>>]
  const isLeafs = name !== own || name === 'tag' || name === 'found'
  return prefixed((isLeafs ? leafs[own] : texts[own])!)
}
