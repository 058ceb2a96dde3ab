// The quick start of the project's README, for Node.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { quickStart } from '../support/places.mjs'
import { storeFor } from '../support/store.mjs'

test('the quick start for Node runs', async (t) => {
  const store = await storeFor(t, { tags: { orders: {} } })
  const program = quickStart().find((program) => !program.includes('export default'))
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, LEAFID_STORE: store.url },
    timeout: 300_000,
  })
  assert.match(stdout, /^1n 100 /)
})
