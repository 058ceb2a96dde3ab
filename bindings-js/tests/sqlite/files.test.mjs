// A store in a file: its creation, refusals, and changes of the file or the clock during use.
import '../support/sqlite.mjs'
import assert from 'node:assert/strict'
import fs, { linkSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { Segment } from 'leafid'
import { sqliteStore } from 'leafid/node'
import { ran, scratch } from '../support/ends.mjs'
import { inner } from '../support/package.mjs'
import { leafid } from '../support/store.mjs'
import { refusal, refuses, timedOut } from '../support/stores.mjs'

const { Connection, isMounted } = await inner()

const create = { tags: { orders: { step: 10 } } }
const lease = (store) => store.leaseSegment({ tag: 'orders', request: '01'.repeat(16) })
const next = (store, tag = 'orders', options = {}) => new Segment(tag, { store, ...options }).next()

test('existing tags stay, missing ones are made, deleted ones not', async (t) => {
  const path = join(scratch(t), 'ids.db')
  await next(sqliteStore(path, { create }))
  const other = { tags: { orders: {}, more: { from: '9007199254740993', step: 1 } } }
  const store = sqliteStore(path, { create: other })
  assert.deepEqual([await next(store), await next(store)], [11n, 21n])
  const [one, two] = [await next(store, 'more'), await next(store, 'more')]
  assert.ok(one === 9007199254740993n && two > one, `${one}, ${two}`)
  leafid('tag', 'delete', 'orders', '--store', `sqlite:${path}`)
  assert.equal((await refusal(() => next(store))).code, 'TAG_UNKNOWN')
})

test('foreign, linked or lost files are left as they are', async (t) => {
  const [foreign, linked, gone] = ['foreign', 'linked', 'gone'].map((name) => join(scratch(t), `${name}.db`))
  new Connection(foreign).script('CREATE TABLE tags (a)')
  await next(sqliteStore(linked, { create }))
  linkSync(linked, `${linked}2`)
  writeFileSync(`${gone}-wal`, 'a log')
  for (const [place, code, words] of [[foreign, 'SCHEMA_MISMATCH'], [`${linked}2`, 'STORE_REFUSED', /has 2 names \(hard links\)/], [gone, 'STORE_REFUSED', /its log .* is there/]]) {
    await refuses(() => lease(sqliteStore(place, { create: true })), code, words)
  }
})

test('a file that goes, or is another, grants nothing any more', async (t) => {
  const moved = (path) => [path, `${path}-wal`].forEach((file) => renameSync(file, `${file}.away`))
  const replaced = (path) => (moved(path), writeFileSync(path, ''))
  for (const change of [unlinkSync, moved, replaced]) {
    const path = join(scratch(t), 'ids.db')
    const store = sqliteStore(path, { create })
    assert.equal(lease(store).start, 1n)
    change(path)
    const isRefused = () => refuses(() => lease(store), 'STORE_REFUSED', /is not the file any more that was opened/)
    await isRefused()
    await timedOut(() => next(store, 'orders', { timeout: 100 }), 'STORE_REFUSED')
    if (change === unlinkSync) continue
    for (const file of [path, `${path}-wal`]) renameSync(`${file}.away`, file)
    await isRefused()
    assert.equal(lease(sqliteStore(path)).start, 11n)
  }
})

test('a store that is made while it is opened is ours', async (t) => {
  for (const reading of ['user_version', 'sqlite_schema']) {
    const path = join(scratch(t), 'ids.db')
    const maker = new Connection(path)
    // As before the tables are created.
    maker.script('PRAGMA journal_mode = WAL')
    const all = Connection.prototype.all
    let makes = true
    Connection.prototype.all = function (query) {
      if (makes && query.sql.includes(reading)) {
        makes = false
        leafid('init', '--store', `sqlite:${path}`)
      }
      return all.call(this, query)
    }
    t.after(() => (Connection.prototype.all = all))
    // Asked by itself: a generator would ask again.
    assert.equal(lease(sqliteStore(path, { create })).start, 1n)
    assert.equal(makes, false, 'it was made between two readings')
    Connection.prototype.all = all
    maker.close()
  }
})

test('a file that is made while it is opened is not called gone', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const { statSync } = fs
  t.after(() => {
    Object.assign(fs, { statSync })
    syncBuiltinESMExports()
  })
  let maker
  let looks = 0
  fs.statSync = (place, ...more) => {
    const found = statSync(place, ...more)
    if (place !== path) return found
    looks += 1
    // The first look is `real`'s.
    if (looks === 2) {
      leafid('init', '--store', `sqlite:${path}`)
      maker = new Connection(path)
      maker.script('PRAGMA journal_mode = WAL; UPDATE meta SET beat_ms = beat_ms + 1')
      assert.ok(statSync(`${path}-wal`).size > 0, 'its log is there')
    }
    return found
  }
  syncBuiltinESMExports()
  // Asked by itself: a generator would ask again.
  await refuses(() => lease(sqliteStore(path)), 'TAG_UNKNOWN')
  assert.ok(looks > 2, `${looks}`)
  maker.close()
})

test('a mount point is the whole path', () => {
  const mounts = [
    '21 1 8:1 / / rw - ext4 /dev/a rw',
    '30 21 8:1 /s/ids.db /data/ids.db rw - ext4 /dev/a rw',
    '31 21 8:1 /s /my\\040data/a\\134b.db rw shared:1 - ext4 /dev/a rw',
  ].join('\n')
  for (const [path, is] of [
    ['/data/ids.db', true],
    ['/my data/a\\b.db', true],
    ['/data', false],
    ['/s/ids.db', false],
  ]) {
    assert.equal(isMounted(mounts, path), is, path)
  }
})

/** As by `docker -v ./ids.db:/data/ids.db`; the control mounts the folder. */
test('a file that is mounted by itself is refused', { skip: process.platform !== 'linux' }, async (t) => {
  const [host, guest] = ['host', 'my guest'].map((name) => join(scratch(t), name))
  for (const place of [host, guest]) mkdirSync(place)
  await next(sqliteStore(join(host, 'ids.db'), { create }))
  writeFileSync(join(guest, 'ids.db'), '')
  const program = `
    import { sqliteStore } from 'leafid/node'
    try {
      console.log(String(sqliteStore(process.argv[1]).leaseSegment({ tag: 'orders', request: '01'.repeat(16) }).start))
    } catch ({ code, message }) {
      console.log(code, message)
    }`
  const script = 'mount --bind "$1" "$2" && echo mounted && exec "$0" --input-type=module -e "$4" "$3"'
  for (const name of ['', 'ids.db']) {
    const words = [process.execPath, join(host, name), join(guest, name), join(guest, 'ids.db'), program]
    const mounted = ran(['unshare', '--map-root-user', '--mount', 'sh', '-c', script, ...words], { cwd: import.meta.dirname })
    if (!mounted.stdout?.startsWith('mounted')) return t.skip(`nothing can be mounted here: ${mounted.stderr ?? mounted.error}`)
    if (name === '') assert.match(mounted.stdout, /^mounted\n\d+\n$/, mounted.stderr)
    else assert.match(mounted.stdout, /^mounted\nSTORE_REFUSED .* is mounted by itself, .* mount the folder/, mounted.stderr)
  }
})

test('while another writes, the event loop goes on, and then the ask', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const store = sqliteStore(path, { create })
  await next(store)
  const other = new Connection(path)
  other.script('BEGIN IMMEDIATE')
  const waiting = next(store)
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  other.script('ROLLBACK')
  assert.equal(await waiting, 11n)
  other.script('BEGIN IMMEDIATE')
  const error = await timedOut(() => next(store, 'orders', { timeout: 4_000 }), 'OVERLOADED')
  assert.match(error.message, /other processes kept writing/)
  other.script('ROLLBACK')
})

test('a leaping wall clock is not believed at once, a stray never', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const at = { wall: 1_800_000_000_000, up: 0 }
  const clocks = { wall: () => at.wall, ticking: () => at.up }
  const pass = (ms, leap = 0) => {
    at.up += ms
    at.wall += ms + leap
  }
  const store = sqliteStore(path, { create }, clocks)
  const ask = (request, more = {}) => ({ namespace: 'default', owner: 'me', request: request.repeat(16), sticky: false, strict: false, ...more })
  assert.equal(store.acquire(ask('01')).nowMs, 1_800_000_000_000)
  pass(1_000, 3_600_000)
  assert.equal(store.acquire(ask('02')).nowMs, 1_800_000_001_000)
  pass(1_000, -7_200_000)
  assert.equal(store.acquire(ask('03')).nowMs, 1_800_000_002_000, 'nor back')
  pass(0, 3_600_000 + 50_000)
  assert.equal(store.acquire(ask('04')).nowMs, 1_800_000_052_000)
  pass(0, 3_600_000)
  store.acquire(ask('05'))
  for (let second = 0; second < 600; second++) {
    pass(1_000)
    store.leaseSegment({ tag: 'orders', request: '06'.repeat(16) })
  }
  assert.equal(store.acquire(ask('07')).nowMs, 1_800_000_652_000 + 3_600_000, 'after a window it is')
  for (const wall of [1_800_000_000_000 - 3 * 86_400_000, 1_800_000_000_000 + 40 * 86_400_000]) {
    const stray = { wall: () => wall, ticking: () => 0 }
    await refuses(() => sqliteStore(path, {}, stray).acquire(ask('08')), 'STORE_REFUSED', /^this machine's clock says \S+Z, \d+ days (before|after) the last time/)
  }
})

test('a writer with a clock ahead holds nobody up', async (t) => {
  const path = join(scratch(t), 'ids.db')
  const at = (wall) => ({ wall, up: 0 })
  const [ahead, right] = [at(1_800_000_000_000 + 8 * 3_600_000), at(1_800_000_000_000)]
  const open = (own) => sqliteStore(path, { create }, { wall: () => own.wall, ticking: () => own.up })
  open(ahead).leaseSegment({ tag: 'orders', request: '01'.repeat(16) })
  const store = open(right)
  const holder = { namespace: 'default', request: '02'.repeat(16), lengthMs: 60_000 }
  const { nowMs, worker, end, store: id } = store.acquire({ ...holder, owner: 'me', sticky: false, strict: false })
  assert.equal(nowMs, 1_800_000_000_000)
  Object.assign(right, { wall: right.wall + 30_000, up: 30_000 })
  const renewed = store.renew({ ...holder, store: id, key: holder.request, worker, haveUntil: end })
  assert.equal(renewed.nowMs, 1_800_000_030_000)
  assert.ok(BigInt(renewed.end) > BigInt(end), `${renewed.end} after ${end}`)
})

test('a given relative path is that of the folder at that time, one of LEAFID_STORE that of the folder of the import', (t) => {
  const folder = scratch(t)
  for (const [name, from] of [['import', '1000'], ['given', '1'], ['later', '2000']]) {
    mkdirSync(join(folder, name))
    const store = ['--store', `sqlite:${join(folder, name, 'ids.db')}`]
    leafid('init', ...store)
    leafid('tag', 'create', 'orders', '--from', from, ...store)
  }
  const program = `
    import { Segment } from 'leafid'
    import { sqliteStore } from 'leafid/node'
    const orders = new Segment('orders')
    process.chdir('../given')
    const given = ['sqlite:ids.db', new URL('sqlite:ids.db'), sqliteStore('ids.db')].map((store) => new Segment('orders', { store, step: 1 }))
    process.chdir('../later')
    const later = new Segment('orders', { store: 'sqlite:ids.db' })
    console.log(JSON.stringify([orders, later, ...given].map((ids) => Number(ids.nextSync()))))`
  const file = join(import.meta.dirname, `relative-${process.pid}.mjs`)
  writeFileSync(file, program)
  t.after(() => unlinkSync(file))
  const { stdout, stderr } = ran([process.execPath, '--no-warnings', file], { cwd: join(folder, 'import'), env: { ...process.env, LEAFID_STORE: 'sqlite:ids.db' } })
  assert.equal(stderr, '')
  const [orders, later, ...given] = JSON.parse(stdout)
  assert.deepEqual([orders, later, given[0]], [1000, 2000, 1])
  assert.ok(new Set(given).size === 3 && Math.max(...given) < 100, `${given}`)
})
