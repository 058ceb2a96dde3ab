// The program `leafid` by `npx`, from the packages leafid and leafid-server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ran, ranNode, says, scratch, start } from '../js/support/ends.mjs'
import { checkout, quickStart } from '../js/support/places.mjs'
import { root, run } from './lib/programs.mjs'

const NPX = ['npx', '--prefix', root, '--no', '--']
/** What the project's README says to run. */
const SERVE = /^npx (leafid serve --dev) /m.exec(readFileSync(join(checkout, 'README.md'), 'utf8'))[1].split(' ')
const BY_NODE = [process.execPath, join(root, 'node_modules/leafid-server/leafid.js')]

function options(cwd) {
  const { LEAFID_STORE: _, NODE_TEST_CONTEXT: __, ...clean } = process.env
  return { cwd, env: { ...clean, XDG_STATE_HOME: cwd, LEAFID_LISTEN: '127.0.0.1:0' } }
}

test('it has the output and the exit codes of the program', () => {
  const folder = scratch()
  const leafid = (...words) => ran([...NPX, 'leafid', ...words], options(folder))
  const store = ['--store', `sqlite:${join(folder, 'ids.db')}`]
  assert.match(leafid('--version').stdout, /^leafid \d/)
  assert.equal(leafid('init', ...store).status, 0)
  assert.match(leafid('tag', 'create', 'orders', ...store).stdout, /tag `orders` created/)
  const again = leafid('tag', 'create', 'orders', ...store)
  assert.deepEqual([again.status, again.stdout], [1, ''])
  assert.match(again.stderr, /TAG_EXISTS/)
})

/** Ctrl-C in a terminal signals all of its processes; whoever ends a server by its id signals one. */
for (const [how, command, signal, detached] of [['npx, by Ctrl-C', [...NPX, ...SERVE], 'SIGINT', true], ['node', [...BY_NODE, ...SERVE.slice(1)], 'SIGTERM', false], ['node', [...BY_NODE, ...SERVE.slice(1)], 'SIGINT', false]]) {
  test(`a first server and a first program: ${how}, ${signal}`, { timeout: 120_000 }, async () => {
    const server = start(command, { ...options(scratch()), endsBy: 'SIGTERM', detached })
    const [, url] = await says(server, /listening on (http:\/\/\S+)\s/)
    const program = quickStart().find((program) => !program.includes('export default'))
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { env: { LEAFID_STORE: url } })
    assert.equal(stdout, '1n\n')
    let told = ''
    server.stderr.on('data', (chunk) => (told += chunk))
    server.stdout.on('data', (chunk) => (told += chunk))
    process.kill(detached ? -server.pid : server.pid, signal)
    const ended = await once(server, 'close')
    assert.match(told, /leafid: stopped/)
    if (!detached) assert.deepEqual(ended, [0, null])
    await assert.rejects(fetch(url))
  })
}

test('it ends as the program did', { skip: process.platform !== 'linux' && 'NOT RUN  children: only Linux lists them in /proc' }, async () => {
  const server = start([...BY_NODE, 'serve', '--dev'], options(scratch()))
  await says(server, /listening on (http:\/\/\S+)\s/)
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')
  assert.equal(children.length, 1)
  process.kill(Number(children[0]), 'SIGKILL')
  assert.deepEqual(await once(server, 'close'), [null, 'SIGKILL'])
})

test('what is missing is named with the command that installs it', () => {
  const folder = scratch()
  for (const [file, words] of [['leafid/leafid.cjs', 'npm install leafid-server, or run npx leafid-server'], ['leafid-server/leafid.js', 'npm install leafid-server']]) {
    const copy = join(folder, file.replace('/', '-'))
    copyFileSync(join(root, 'node_modules', file), copy)
    const { status, stdout, stderr } = ranNode([copy, 'serve'])
    assert.deepEqual([status, stdout, stderr.split('\n').length], [1, '', 2])
    assert.ok(stderr.startsWith('leafid: ') && stderr.includes(words), stderr)
  }
})
