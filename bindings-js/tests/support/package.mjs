// The installed package, and inner parts of it: for controls with a guard off.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = dirname(createRequire(import.meta.url).resolve('leafid/package.json'))

/** The inner parts, which the build puts beside the package and not into it. */
export const inner = () => import(pathToFileURL(join(root, 'node/inner.js')))

/** An entry of the package's other copy, which loaders without ES modules get. */
export const common = (entry) => createRequire(import.meta.url)(join(root, 'cjs', `${entry}.js`))
