// Runs every program of the package's README, and Node's quick start of the project's, against a real store.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNode, stop } from '../support/ends.mjs'
import { root } from '../support/package.mjs'
import { programsOf, quickStart } from '../support/places.mjs'
import { storeFor } from '../support/store.mjs'

const programs = programsOf(join(root, 'README.md'))
const first = quickStart().find((program) => !program.includes('export default'))

test('the README has programs', () => assert.ok(programs.length >= 5, `${programs.length}`))

for (const [at, program] of [first, ...programs].entries()) {
  test(`program ${at}: ${program.split('\n')[0]}`, async (t) => {
    const store = await storeFor(t, { tags: { orders: {} } })
    const child = startNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname, env: { ...process.env, LEAFID_STORE: store.url }, timeout: 300_000 })
    t.after(() => stop(child))
    let told = ''
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += chunk))
    child.stderr.on('data', (chunk) => (told += chunk))
    const status = await new Promise((resolve) => child.once('close', resolve))
    assert.deepEqual([status, told], [0, ''])
    if (program === first) assert.equal(printed, '1n\n')
  })
}
