// Test runners, other runtimes and Node's other versions draw from one real store, and no number twice.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { scratch } from '../js/support/ends.mjs'
import { storeFor } from '../js/support/store.mjs'
import { app, report, root, run } from './lib/programs.mjs'
import { Tally } from './lib/tally.mjs'

const tally = new Tally()
const folder = scratch(undefined, { name: 'leafid-run-', below: tmpdir() })
const bun = join(root, 'node_modules/@oven/bun-linux-x64-baseline/bin/bun')
const deno = join(root, 'node_modules/@deno/linux-x64-glibc/deno')
let env

before(async () => {
  const store = await storeFor(undefined, { tags: { orders: {}, shop: {} } })
  env = { LEAFID_STORE: store.url, TOLD: join(folder, 'told.json') }
})

/** Runs a test runner; its test writes the report to a file, as the output is the runner's own. */
const reported = () => JSON.parse(readFileSync(env.TOLD, 'utf8'))

test('Node, by `import`', async () => {
  tally.add(await report(process.execPath, [app('node.mjs')], { env }))
})

test('Jest, in a CommonJS test', async () => {
  const config = JSON.stringify({ rootDir: join(root, 'apps/jest'), testEnvironment: 'node', testMatch: ['**/*.spec.cjs'], transform: {}, cacheDirectory: join(folder, 'jest') })
  const words = ['--config', config, '--ci', '--runInBand']
  const { stderr } = await run(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...words], { env })
  assert.match(stderr, /Tests: +2 passed, 2 total/)
  tally.add(reported())
})

test('Vitest', async () => {
  const words = ['run', '--root', join(root, 'apps/vitest'), '--reporter=verbose', '--no-color', '--no-cache']
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...words], { env })
  assert.match(stdout, /Tests +1 passed/)
  tally.add(reported())
})

/** What runs the programs of `apps/isolated`, whose generators are those of modules. */
const isolated = (name) => join(root, 'apps/isolated', name)
const jest = (kind) => ({ rootDir: isolated(''), testEnvironment: 'node', testMatch: [`**/*.spec.${kind}`], setupFilesAfterEnv: [isolated(`setup.${kind}`)], transform: {}, moduleFileExtensions: ['mjs', 'cjs', 'js'], cacheDirectory: join(folder, 'jest') })
const JEST = (kind) => [join(root, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(jest(kind)), '--ci', '--runInBand']
const VITEST = (at) => [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', at, '--no-color', '--no-cache']
const ISOLATED = {
  'Jest, CommonJS': () => JEST('cjs'),
  'Jest, ES modules': () => ['--experimental-vm-modules', ...JEST('mjs')],
  Vitest: () => {
    writeFileSync(isolated('vitest.config.mjs'), "export default { test: { globals: true, setupFiles: './setup.mjs', include: ['*.spec.mjs'] } }")
    return VITEST(isolated(''))
  },
  "Vitest, the README's files": () => {
    const [, page] = readFileSync(join(root, 'node_modules/leafid/README.md'), 'utf8').split('## Testing your service')
    const place = isolated('readme')
    mkdirSync(place, { recursive: true })
    for (const [, program, name] of page.matchAll(/```ts\n(\/\/ (\S+)\n[^]*?)```/g)) writeFileSync(join(place, name), program)
    writeFileSync(join(place, 'vitest.config.mjs'), "export default { test: { setupFiles: './test-setup.ts' } }")
    return VITEST(place)
  },
}

for (const [name, words] of Object.entries(ISOLATED)) {
  test(`${name}: the generators of modules draw from the store of each test`, async () => {
    const tags = async () => (await fetch(`${env.LEAFID_STORE}/v1/tags`)).text()
    const before = await tags()
    const { stdout, stderr } = await run(process.execPath, words(), { env })
    assert.match(stdout + stderr, /Tests +2 passed|Tests: +2 passed, 2 total/)
    assert.equal(await tags(), before, 'no real store is asked')
  })
}

test('Bun', async () => {
  tally.add(await report(bun, [app('node.mjs')], { env }))
  const program = "const { Segment, memoryStore } = require('leafid'); console.log(String(new Segment('a', { store: memoryStore() }).nextSync()))"
  assert.equal(await report(bun, ['-e', program]), 1)
})

test('Bun, compiled to one program that is run elsewhere', async () => {
  const program = join(folder, 'draw')
  await run(bun, ['build', '--compile', app('node.mjs'), '--outfile', program])
  tally.add(await report(program, [], { env, cwd: folder }))
})

test('Deno, which may use the network and one setting, and read nothing', async () => {
  const allowed = ['--allow-net=127.0.0.1', '--allow-env=LEAFID_STORE']
  const told = await report(deno, ['run', '--quiet', '--no-prompt', '--node-modules-dir=manual', ...allowed, app('node.mjs')], { env })
  tally.add(told)
})

test('together they drew no number twice', () => tally.settle(6))

/** The files of Node's suite that test the package itself. */
const FILES = ['beside', 'environment', 'face', 'generators', 'isolated', 'life', 'processes', 'require', 'secured', 'vectors', 'waiting']

// Concurrently, as the tests mostly wait.
describe('other versions', { concurrency: true }, () => {
  for (const major of [22, 24]) {
    test(`Node ${major}`, { timeout: 900_000 }, async () => {
      const program = join(dirname(createRequire(import.meta.url).resolve(`node-${major}/package.json`)), 'bin/node')
      assert.equal(await report(program, ['-p', 'process.versions.node.split(".")[0]']), major)
      const files = FILES.map((file) => join(root, 'js/node', `${file}.test.${file === 'require' ? 'cjs' : 'mjs'}`))
      const { stdout } = await run(program, ['--test', '--test-reporter=spec', ...files])
      assert.match(stdout, /ℹ fail 0\n/)
      assert.ok(Number(/ℹ pass (\d+)/.exec(stdout)[1]) >= 50, stdout)
    })
  }
})
