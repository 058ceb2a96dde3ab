// The registry is a file of its own: only a Worker that uses it contains it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorker } from '../support/miniflare.mjs'

const source = (more) => `
import { Segment, memoryStore } from 'leafid'
const before = []
${more}
const told = async (act) => Promise.resolve().then(act).catch(({ code, message }) => \`\${code} \${message}\`)
export default {
  async fetch() {
    const texts = [
      await told(() => new Segment('orders', { store: memoryStore() }).nextString()),
      await told(() => new Segment('orders', { store: 'memory:' }).nextString()),
      ...(await Promise.all(before.map((ids) => told(() => ids.nextString())))),
    ]
    return Response.json(texts)
  },
}`

async function texts(t, more) {
  const worker = await startWorker(source(more))
  t.after(worker.end)
  return (await worker.fetch('/')).json()
}

for (const path of ['leafid', 'leafid/workers']) {
  test(`a store in memory, with \`${path}\`; its address names what it needs`, async (t) => {
    const [made, named] = await texts(t, `import '${path}'`)
    assert.equal(made, '1')
    assert.match(named, /^NOT_ENABLED `memory:` is not here: a Worker or a page has it with `\{ store: memoryStore\(\) \}`, or after `import 'leafid\/testing'`$/)
  })
}

test('`leafid/testing` lets the address name one', async (t) => {
  assert.deepEqual(await texts(t, "import 'leafid/testing'"), ['1', '1'])
})

test('`isolated` at module scope redirects a generator that is there already', async (t) => {
  const more = "import { isolated } from 'leafid/testing'; before.push(new Segment('orders', { store: 'http://192.0.2.1:1', step: 1 })); isolated()"
  const [own, named, redirected] = await texts(t, more)
  assert.deepEqual([own, named], ['1', '1'])
  assert.ok(Number(redirected) > 1, redirected)
})
