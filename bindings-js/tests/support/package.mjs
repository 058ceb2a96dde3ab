// The installed package, and parts of it that are not exported: for controls, which have a guard off.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Its folder. */
export const root = dirname(createRequire(import.meta.url).resolve('leafid/package.json'))

export const inner = (path) => import(pathToFileURL(join(root, path)))
