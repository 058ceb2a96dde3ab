// Ties children to this process. A file of its own: nothing here starts Node's test runner.
import { spawnSync } from 'node:child_process'

const hasLeash = process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0

/** The command prefix that ends a child when its parent dies. */
export const leash = () => (hasLeash ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [])
