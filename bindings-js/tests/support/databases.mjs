// Database engines for tests: a real server of each, its drivers, and the forms in which an application may hold a
// connection.
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import mysql from 'mysql2'
import pg from 'pg'
import { ending, ran } from './ends.mjs'
import { found, needing } from './needs.mjs'
import { checkout } from './places.mjs'

/** Runs a program to its end; throws its output if it fails. */
function run(command, options) {
  const { status, stdout, stderr, error } = ran(command, options)
  if (status !== 0) throw new Error(`${command[0]} failed: ${error ?? stderr}`)
  return stdout.trim()
}

/** Starts an empty server by the program of the Rust suites (`tests/servers`), which ends with its input. */
async function started(name) {
  run(['cargo', 'build', '--quiet', '--locked', '-p', 'leafid-servers'], { cwd: checkout, timeout: 600_000 })
  const program = resolve(checkout, process.env.CARGO_TARGET_DIR ?? 'target', 'debug/leafid-servers')
  const child = spawn(program, [name], { stdio: ['pipe', 'pipe', 'inherit'] })
  const end = ending(async () => {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const told = async () => (await lines.next()).value
  const tell = async (word) => {
    child.stdin.write(`${word}\n`)
    if ((await told()) !== 'done') throw new Error(`${name} did not ${word}`)
  }
  return { port: Number(await told()), kill: () => tell('kill'), start: () => tell('start'), end }
}

/** PostgreSQL: its user `leafid` needs no password. */
async function startPostgres() {
  const server = await started('postgres')
  const psql = (database, sql) => run([found('psql'), '-X', '-h', '127.0.0.1', '-p', String(server.port), '-U', 'leafid', '-d', database, '-v', 'ON_ERROR_STOP=1', '-qAtc', sql])
  const url = (database) => `postgres://leafid@127.0.0.1:${server.port}/${database}`
  return { ...server, run: psql, url, make: (name) => (psql('postgres', `CREATE DATABASE ${name}`), url(name)) }
}

/** MariaDB, which stands for MySQL too: its user `root` needs no password. */
async function startMariadb() {
  const server = await started('mariadb')
  const client = (database, sql) => run([found('mariadb'), '--no-defaults', '-h127.0.0.1', '-uroot', `-P${server.port}`, '-N', '-B', '-e', sql, database])
  const url = (database) => `mysql://root@127.0.0.1:${server.port}/${database}`
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
