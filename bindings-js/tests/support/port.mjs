// Ports of loopback for servers that are stopped and started again.
import { once } from 'node:events'
import { createServer } from 'node:net'

const [FIRST, COUNT] = [20_000, 6_000]
let turn = 0

/**
 * A port on which nobody listens, below those that the system gives to whoever asks for any: one of those may have another
 * owner while its server is away, and a client that keeps trying it will in the end be connected to itself. Below those of
 * the Rust and Python suites as well, which lock theirs; here processes begin at places far from each other.
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
