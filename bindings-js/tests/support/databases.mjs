// Database engines for tests: a real server of each in a temporary folder, on a free port of loopback, its drivers, and
// the forms in which an application may hold a connection.
import { chownSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2'
import pg from 'pg'
import { leash, ran, scratch, start, stop } from './ends.mjs'
import { found, needing } from './needs.mjs'
import { freePort } from './port.mjs'

/** Nobody: PostgreSQL refuses to run as root. */
const NOBODY = 65534
const isRoot = process.getuid() === 0
const nobody = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

/** Runs a program to its end; throws its output if it fails. */
function run(command, options) {
  const { status, stdout, stderr, error } = ran(command, options)
  if (status !== 0) throw new Error(`${command[0]} failed: ${error ?? stderr}`)
  return stdout
}

/**
 * A server that is started, killed and started again in the same folder: by `command(port)`; `answers(port)` tells
 * whether it is up, and the signal `endsBy` ends it without leaving anything behind.
 */
async function running(folder, command, answers, endsBy) {
  let port = await freePort()
  let child
  let told = ''
  const begin = () => {
    child = start(command(port), { cwd: folder, endsBy, env: { ...process.env, TMPDIR: folder } })
    child.on('error', ({ message }) => (told = message))
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (told = `${told}${chunk}`.slice(-4_000)))
  }
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const up = async (again = () => {}) => {
    const end = Date.now() + 180_000
    begin()
    while (!answers(port) || hasEnded()) {
      if (Date.now() > end) throw new Error(`the server does not answer: ${told}`)
      if (hasEnded()) {
        await again()
        begin()
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  // Each try takes a new port: another process may have taken the last one first.
  await up(async () => (port = await freePort()))
  // Parts of a killed server may still run, and hold its memory: retried on the same port.
  return { port, folder, start: () => up(), stop: (signal) => stop(child, signal), end: () => stop(child) }
}

/** PostgreSQL: its user `leafid` needs no password. */
async function startPostgres() {
  const folder = scratch()
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  run([...leash('KILL', nobody), found('initdb'), '-D', join(folder, 'data'), '-U', 'leafid', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'], { cwd: folder })
  // SIGKILL would leave its shared memory behind.
  const command = (port) => [...leash('QUIT', nobody), found('postgres'), '-D', join(folder, 'data'), '-h', '127.0.0.1', '-p', String(port), '-k', folder]
  const answers = (port) => ran([found('pg_isready'), '-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0
  const server = await running(folder, command, answers, 'SIGQUIT')
  const psql = (database, sql) => run([found('psql'), '-X', '-h', '127.0.0.1', '-p', String(server.port), '-U', 'leafid', '-d', database, '-v', 'ON_ERROR_STOP=1', '-qAtc', sql]).trim()
  const url = (database) => `postgres://leafid@127.0.0.1:${server.port}/${database}`
  return { ...server, run: psql, url, make: (name) => (psql('postgres', `CREATE DATABASE ${name}`), url(name)) }
}

/** MariaDB, which stands for MySQL too: its user `root` needs no password. */
async function startMariadb() {
  const folder = scratch()
  const { username } = userInfo()
  const own = [`--user=${username}`, `--datadir=${join(folder, 'data')}`]
  run([found('mariadb-install-db'), '--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db', ...own], { env: { ...process.env, TMPDIR: folder } })
  writeFileSync(join(folder, 'init.sql'), 'CREATE DATABASE IF NOT EXISTS leafid;\n')
  const command = (port) => [
    ...leash(),
    found('mariadbd'),
    '--no-defaults',
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    ...own,
    `--socket=${join(folder, 's.sock')}`,
    `--init-file=${join(folder, 'init.sql')}`,
    `--port=${port}`,
  ]
  const words = (port, sql) => [found('mariadb'), '--no-defaults', '-h127.0.0.1', '-uroot', `-P${port}`, '-N', '-B', '-e', sql]
  const server = await running(folder, command, (port) => ran(words(port, 'SELECT 1')).status === 0)
  const url = (database) => `mysql://root@127.0.0.1:${server.port}/${database}`
  const client = (database, sql) => run([...words(server.port, sql), database]).trim()
  return { ...server, run: client, url, make: (name) => (client('leafid', `CREATE DATABASE ${name}`), url(name)) }
}

const owned = (connection, end = () => connection.end()) => ({ connection, end })

async function pgClient(url) {
  const client = new pg.Client(url)
  await client.connect()
  return owned(client)
}

async function pgFromPool(url) {
  const pool = new pg.Pool({ connectionString: url })
  const client = await pool.connect()
  return owned(client, async () => {
    client.release()
    await pool.end()
  })
}

const callback = (end) => new Promise((resolve, reject) => end((error) => (error ? reject(error) : resolve())))

function mysqlPool(url, options = {}) {
  const pool = mysql.createPool({ uri: url, ...options })
  return owned(pool, () => callback((done) => pool.end(done)))
}

function mysqlConnection(url, options = {}) {
  const connection = mysql.createConnection({ uri: url, ...options })
  return owned(connection, () => callback((done) => connection.end(done)))
}

/** The engines: `test` and `before` for tests that need one; `flavours` makes from a URL what applications may pass. */
export const ENGINES = {
  PostgreSQL: {
    ...needing('postgresql'),
    start: startPostgres,
    flavours: {
      'a pool': (url) => owned(new pg.Pool({ connectionString: url })),
      'a client': pgClient,
      'a client of a pool': pgFromPool,
    },
    lone: pgClient,
    /** Settings that lose answered leases: how to set, name and reset them. */
    unsafe: [
      [['ALTER SYSTEM SET fsync = off', 'SELECT pg_reload_conf()'], 'fsync = off', ['ALTER SYSTEM RESET fsync', 'SELECT pg_reload_conf()']],
      [['ALTER SYSTEM SET full_page_writes = off', 'SELECT pg_reload_conf()'], 'full_page_writes = off', ['ALTER SYSTEM RESET full_page_writes', 'SELECT pg_reload_conf()']],
      [['ALTER SYSTEM SET synchronous_commit = off', 'SELECT pg_reload_conf()'], 'synchronous_commit = off', ['ALTER SYSTEM RESET synchronous_commit', 'SELECT pg_reload_conf()']],
    ],
    begin: 'BEGIN',
    query: (connection, sql) => connection.query(sql).then(({ rows }) => rows),
  },
  MySQL: {
    ...needing('mariadb'),
    start: startMariadb,
    flavours: {
      'a pool': mysqlPool,
      'a pool with promises': async (url) => {
        const { connection, end } = mysqlPool(url)
        return owned(connection.promise(), end)
      },
      'a connection': mysqlConnection,
      'a connection with promises': async (url) => {
        const { connection, end } = mysqlConnection(url)
        return owned(connection.promise(), end)
      },
    },
    lone: mysqlConnection,
    unsafe: [
      [['SET GLOBAL innodb_flush_log_at_trx_commit = 2'], 'innodb_flush_log_at_trx_commit = 2', ['SET GLOBAL innodb_flush_log_at_trx_commit = 1']],
      [['SET GLOBAL innodb_flush_log_at_trx_commit = 0'], 'innodb_flush_log_at_trx_commit = 0', ['SET GLOBAL innodb_flush_log_at_trx_commit = 1']],
    ],
    begin: 'START TRANSACTION',
    query: (connection, sql) => new Promise((resolve, reject) => connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)))),
  },
}
