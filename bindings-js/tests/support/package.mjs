// The installed package, and internal parts: for controls with a guard off.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = dirname(createRequire(import.meta.url).resolve('leafid/package.json'))

export const inner = (path) => import(pathToFileURL(join(root, path)))
