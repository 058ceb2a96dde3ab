// Imported first by each test of files: a Node without SQLite hands the whole file to one that has it, whose results go
// to the runner as its own.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { leash } from './leash.mjs'

const require = createRequire(import.meta.url)
const has = (name) => {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}

if (process.getBuiltinModule?.('node:sqlite') === undefined && has('better-sqlite3') === undefined) {
  const name = `node-${process.platform}-${process.arch}`
  const manifest = has(`${name}/package.json`)
  if (manifest === undefined) throw new Error(`no Node with SQLite: install ${name} 24, or better-sqlite3`)
  const [program, ...words] = [...leash(), join(manifest, '../bin/node'), ...process.argv.slice(1)]
  process.exit(spawnSync(program, words, { stdio: 'inherit' }).status ?? 1)
}
