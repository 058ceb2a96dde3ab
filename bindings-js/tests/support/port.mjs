// Ports of loopback for servers that are stopped and started again.
import { once } from 'node:events'
import { createServer } from 'node:net'

const [FIRST, COUNT] = [20_000, 6_000]
let turn = 0

/**
 * A free port below those that the system hands out: one of those may get another owner while its server is away, or a
 * client that keeps retrying it may be connected to itself. Also below those of the Rust and Python suites, which lock
 * theirs; here processes begin at places far apart.
 */
export async function freePort() {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + ((process.pid * 97 + 7 * turn++) % COUNT)
    const server = createServer()
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no port is free between ${FIRST} and ${FIRST + COUNT}`)
}
