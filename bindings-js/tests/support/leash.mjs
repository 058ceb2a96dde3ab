// How what is started dies with this process. A file of its own: nothing here has Node's test runner begin.
import { spawnSync } from 'node:child_process'

const hasLeash = process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0

/** The words before a command which have it sent this signal when its parent dies, of whatever; `more` are those that change its user. */
export function leash(signal = 'KILL', more = []) {
  if (hasLeash) return ['setpriv', '--pdeathsig', signal, ...more, '--']
  return more.length > 0 ? ['setpriv', ...more, '--'] : []
}
