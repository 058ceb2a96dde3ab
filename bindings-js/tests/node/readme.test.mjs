// Every program of the package's README runs, against a real store.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startNode, stop } from '../support/ends.mjs'
import { storeFor } from '../support/store.mjs'

const folder = dirname(createRequire(import.meta.url).resolve('leafid/package.json'))
const programs = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, program]) => program)

test('the README has programs', () => assert.ok(programs.length >= 5, `${programs.length}`))

for (const [at, program] of programs.entries()) {
  test(`program ${at + 1}: ${program.split('\n')[0]}`, async (t) => {
    const store = await storeFor(t, { tags: { orders: {} } })
    const child = startNode(['--input-type=module', '-e', program], { cwd: import.meta.dirname, env: { ...process.env, LEAFID_STORE: store.url }, timeout: 300_000 })
    t.after(() => stop(child))
    let told = ''
    child.stdout.on('data', (chunk) => process.stdout.write(chunk))
    child.stderr.on('data', (chunk) => (told += chunk))
    const status = await new Promise((resolve) => child.once('close', resolve))
    assert.deepEqual([status, told], [0, ''])
  })
}
