// Checks the package's tarball with publint and "are the types wrong".
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { dist } from '../js/support/places.mjs'
import { root, run } from './lib/programs.mjs'

const { version } = JSON.parse(readFileSync(join(root, 'node_modules/leafid/package.json'), 'utf8'))

for (const name of ['leafid', `leafid-${process.platform}-${process.arch}-gnu`]) {
  test(`publint has nothing to say of ${name}`, async () => {
    const { messages, pkg } = await publint({ pkgDir: join(root, 'node_modules', name), pack: false, strict: true })
    assert.deepEqual(messages.map((message) => formatMessage(message, pkg, { color: false })), [])
  })
}

test('the types are right in every resolution', async () => {
  // `leafid/workers` is only for a host without `require`; older module resolutions have no sub-paths.
  const words = [join(dist, `leafid-${version}.tgz`), '--profile', 'node16', '--format', 'json', '--exclude-entrypoints', 'workers']
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'), ...words])
  const { analysis, problems } = JSON.parse(stdout)
  const found = Object.values(problems ?? {}).flat().filter(({ resolutionKind }) => resolutionKind !== 'node10')
  assert.deepEqual(found, [])
  assert.deepEqual(Object.keys(analysis.entrypoints).sort(), ['.', './decode', './inline', './node', './package.json', './public', './registry', './testing'])
})
