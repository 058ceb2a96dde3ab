// Real database servers: each in a temporary folder on a free port of loopback, ended by its process id.
import { chownSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { ending, leash, ran, remove, scratch, start, stop } from './ends.mjs'
import { found } from './needs.mjs'
import { freePort } from './port.mjs'

/** Nobody: PostgreSQL refuses to run as root. */
const NOBODY = 65534
const isRoot = process.getuid() === 0
const nobody = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

/** Runs a program to its end; what it said where it failed. */
function run(command, options) {
  const { status, stdout, stderr, error } = ran(command, options)
  if (status !== 0) throw new Error(`${command[0]} failed: ${error ?? stderr}`)
  return stdout
}

/**
 * A server that is started, killed and started again in the same folder. `command(port)` is how, `answers(port)` whether it does,
 * and `endsBy` the signal on which it leaves nothing behind.
 */
async function running(folder, command, answers, endsBy) {
  let port = await freePort()
  let child
  let told = ''
  let isOver = false
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
      if (Date.now() > end || isOver) throw new Error(`the server does not answer: ${told}`)
      if (hasEnded()) {
        await again()
        begin()
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const end = ending(async () => {
    // Whoever waits for its start goes no further.
    isOver = true
    await stop(child)
    remove(folder)
  })
  // Somebody else may have taken the port.
  await up(async () => (port = await freePort()))
  // Some of one that was killed may still go, and keep its memory: it is begun again, at its port.
  return { port, folder, start: () => up(), stop: (signal) => stop(child, signal), end }
}

/** PostgreSQL: its user `leafid` needs no password. */
export async function startPostgres() {
  const folder = scratch()
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  run([...leash('KILL', nobody), found('initdb'), '-D', join(folder, 'data'), '-U', 'leafid', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'], { cwd: folder })
  // Killed, it would leave its shared memory to the machine.
  const command = (port) => [...leash('QUIT', nobody), found('postgres'), '-D', join(folder, 'data'), '-h', '127.0.0.1', '-p', String(port), '-k', folder]
  const answers = (port) => ran([found('pg_isready'), '-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0
  const server = await running(folder, command, answers, 'SIGQUIT')
  const psql = (database, sql) => run([found('psql'), '-X', '-h', '127.0.0.1', '-p', String(server.port), '-U', 'leafid', '-d', database, '-v', 'ON_ERROR_STOP=1', '-qAtc', sql]).trim()
  const url = (database) => `postgres://leafid@127.0.0.1:${server.port}/${database}`
  return { ...server, run: psql, url, make: (name) => (psql('postgres', `CREATE DATABASE ${name}`), url(name)) }
}

/** MariaDB, which stands for MySQL too: its user `root` needs no password. */
export async function startMariadb() {
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
