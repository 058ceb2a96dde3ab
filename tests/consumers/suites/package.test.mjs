// Checks the package's tarball with publint and "are the types wrong".
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { dist } from '../js/support/places.mjs'
import { root, run } from './lib/programs.mjs'

const node24 = join(dirname(createRequire(import.meta.url).resolve('node-24/package.json')), 'bin/node')
const { version } = JSON.parse(readFileSync(join(root, 'node_modules/leafid/package.json'), 'utf8'))

for (const name of ['leafid', 'leafid-server', `leafid-${process.platform}-${process.arch}-gnu`]) {
  test(`publint has nothing to say of ${name}`, async () => {
    const { messages, pkg } = await publint({ pkgDir: join(root, 'node_modules', name), pack: false, strict: true })
    assert.deepEqual(messages.map((message) => formatMessage(message, pkg, { color: false })), [])
  })
}

test('the types are right in every resolution', async () => {
  // Older module resolutions have no sub-paths.
  const words = [join(dist, `leafid-${version}.tgz`), '--profile', 'node16', '--format', 'json']
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'), ...words])
  const { analysis, problems } = JSON.parse(stdout)
  const found = Object.values(problems ?? {}).flat().filter(({ resolutionKind }) => resolutionKind !== 'node10')
  assert.deepEqual(found, [])
  assert.deepEqual(Object.keys(analysis.entrypoints).sort(), ['.', './decode', './node', './package.json', './public', './registry', './testing', './workers'])
})

test('it is few files, and `import` loads a handful of them', async () => {
  const files = readdirSync(join(root, 'node_modules/leafid'), { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  // With the inner parts that tests use.
  assert.ok(files.length <= 85, `${files.length} files`)
  const program = "require('node:module').registerHooks({ load: (url, ...more) => (console.log(url), more[1](url, more[0])) }); import('leafid')"
  const { stdout } = await run(node24, ['-e', program])
  const loaded = stdout.split('\n').filter((url) => url.includes('/node_modules/leafid/'))
  assert.ok(loaded.length >= 2 && loaded.length <= 3, stdout)
})
