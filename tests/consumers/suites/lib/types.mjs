// The types of one sub-path of the installed package in one text: all that a user can see, without the comments.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'
import { remove, scratch } from '../../js/support/ends.mjs'
import { root } from './programs.mjs'

/** Calls `use` with what rolls up a file and all that it needs. */
export async function withTypes(use) {
  // What lies in `node_modules` counts as another's, and would be left out.
  const folder = scratch(undefined, { name: 'leafid-types-' })
  try {
    cpSync(join(root, 'node_modules/leafid'), folder, { recursive: true, filter: (path) => !path.endsWith('.js') && !path.endsWith('/cjs') })
    return await use((file) => rolledUp(folder, file))
  } finally {
    remove(folder)
  }
}

async function rolledUp(folder, file) {
  const bundle = await rollup({ input: join(folder, file), plugins: [dts()], external: /^(node|cloudflare):/ })
  const { output } = await bundle.generate({ format: 'es' })
  await bundle.close()
  const source = ts.createSourceFile(file, output[0].code, ts.ScriptTarget.Latest)
  return ts.createPrinter({ removeComments: true }).printFile(source)
}
