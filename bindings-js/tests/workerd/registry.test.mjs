// The registry is a file of its own: only a Worker that imports it contains it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorker } from '../support/miniflare.mjs'

const source = (more) => `
import { Segment, memoryStore } from 'leafid'
${more}
const told = async (act) => Promise.resolve().then(act).catch(({ code, message }) => \`\${code} \${message}\`)
export default {
  async fetch() {
    const texts = [
      await told(() => new Segment('orders', { store: 'memory:' }).nextString()),
      await told(() => new Segment('orders', { store: memoryStore() }).nextString()),
    ]
    return Response.json(texts)
  },
}`

async function texts(t, more) {
  const worker = await startWorker(source(more))
  t.after(worker.end)
  return (await worker.fetch('/')).json()
}

test('a store in memory wants `leafid/registry`, and says so', async (t) => {
  for (const text of await texts(t, '')) assert.match(text, /^NOT_ENABLED .*: add `import 'leafid\/registry'`$/)
})

for (const path of ['registry', 'testing', 'workers']) {
  test(`\`leafid/${path}\` brings it`, async (t) => {
    assert.deepEqual(await texts(t, `import 'leafid/${path}'`), ['1', '1'])
  })
}
