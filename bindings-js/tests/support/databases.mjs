// What a test of stores in databases uses: each engine with its server, its drivers, and how an application may hold one.
import mysql from 'mysql2'
import pg from 'pg'
import { needing } from './needs.mjs'
import { startMariadb, startPostgres } from './servers.mjs'

/** A pool, and how it ends. */
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

/** Each engine: `test` and `before` of tests that need it; `flavours` are what an application may pass, made of a URL. */
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
    /** What loses answered leases: how it is set, how it is named, how it is set back. */
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
