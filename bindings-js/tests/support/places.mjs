// Paths, from the environment or from the checkout.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

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

/** The checkout. */
export const checkout = process.env.LEAFID_ROOT ?? dirname(dist)

/** Every file of vectors for JavaScript: its name without `.json`, and its text. */
export function vectorFiles() {
  const folder = process.env.LEAFID_VECTORS ?? above('tests/vectors')
  const files = readdirSync(folder).map((name) => join(folder, name))
  return [...files, join(folder, 'partial/public.json')]
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: basename(file, '.json'), text: readFileSync(file, 'utf8') }))
}

/** The JavaScript programs in a text. */
export const programsOf = (file) => [...readFileSync(file, 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, program]) => program)

/** The programs of the project's README. */
export const quickStart = () => programsOf(join(checkout, 'README.md'))
