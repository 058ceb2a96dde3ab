// Ties children to this process. A file of its own: nothing here starts Node's test runner.
import { spawnSync } from 'node:child_process'

const hasLeash = process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0

/** The command prefix that sends a child this signal when its parent dies; `more` are options that change its user. */
export function leash(signal = 'KILL', more = []) {
  if (hasLeash) return ['setpriv', '--pdeathsig', signal, ...more, '--']
  return more.length > 0 ? ['setpriv', ...more, '--'] : []
}
