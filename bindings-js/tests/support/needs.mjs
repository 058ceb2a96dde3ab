// Programs that some tests need: without one they report themselves as not run; in CI they fail.
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { before, test } from 'node:test'

const NEEDED = {
  postgresql: { programs: ['initdb', 'postgres', 'pg_isready', 'psql'], from: 'postgresql' },
  mariadb: { programs: ['mariadbd', 'mariadb-install-db', 'mariadb'], from: 'mariadb-server' },
  chromium: { programs: ['chromium'], from: 'chromium' },
}

/** Debian's folder of PostgreSQL, newest version first. */
const postgres = '/usr/lib/postgresql'
const versions = existsSync(postgres) ? readdirSync(postgres).map(Number).sort((a, b) => b - a) : []
const folders = [...versions.map((version) => `${postgres}/${version}/bin`), ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']

/** The path of a program; undefined if it is not installed. */
export const found = (program) => folders.map((folder) => join(folder, program)).find((path) => existsSync(path))

/** `test` and `before` of Node's runner, for tests that need this. */
export function needing(what) {
  const { programs, from } = NEEDED[what]
  const missing = programs.find((program) => found(program) === undefined)
  if (missing === undefined) return { test, before }
  const told = `NOT RUN  ${what}: no \`${missing}\` (apt-get install ${from})`
  const isRed = !['', '0', 'false'].includes(process.env.CI ?? '')
  const instead = (t) => {
    if (isRed) throw Object.assign(new Error(told), { stack: told })
    t.skip(told)
  }
  return { test: (name) => test(name, instead), before: () => {} }
}
