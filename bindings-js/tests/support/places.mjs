// Where things lie: told by the environment, or found from a checkout.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

function above(path) {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, path))) return join(folder, path)
  }
  return undefined
}

/** The store's binary. */
export const storeBinary = process.env.LEAFID_BIN ?? above('dist/leafid') ?? 'leafid'

/** The folder of the packages. */
export const dist = process.env.LEAFID_DIST ?? above('dist')

/** Every file of vectors: its name without `.json`, and its text. */
export function vectorFiles() {
  const folder = process.env.LEAFID_VECTORS ?? above('tests/vectors')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name: name.slice(0, -'.json'.length), text: readFileSync(join(folder, name), 'utf8') }))
}

/** The JavaScript programs of the project's README. */
export function quickStart() {
  const readme = readFileSync(join(dirname(dist), 'README.md'), 'utf8')
  return [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, program]) => program)
}
