// The suite of Node, as far as it is about the package itself, on the other versions that are supported.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { report, root, run } from './lib/programs.mjs'

const require = createRequire(import.meta.url)
const FILES = ['bad-stores', 'beside', 'face', 'generators', 'life', 'processes', 'require', 'secured', 'vectors', 'waiting']

// Together, for much of it waits.
describe('versions', { concurrency: true }, () => {
  for (const major of [22, 24]) {
    test(`Node ${major}`, { timeout: 900_000 }, async () => {
      const program = join(dirname(require.resolve(`node-${major}/package.json`)), 'bin/node')
      assert.equal(await report(program, ['-p', 'process.versions.node.split(".")[0]']), major)
      const files = FILES.map((file) => join(root, 'js/node', `${file}.test.${file === 'require' ? 'cjs' : 'mjs'}`))
      const { stdout } = await run(program, ['--test', '--test-reporter=spec', ...files])
      assert.match(stdout, /ℹ fail 0\n/)
      assert.ok(Number(/ℹ pass (\d+)/.exec(stdout)[1]) >= 50, stdout)
    })
  }
})
