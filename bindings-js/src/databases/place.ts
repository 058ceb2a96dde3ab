/** What of a connection or a pool tells where it goes. */
interface Told {
  options?: Told
  config?: Told
  connectionConfig?: Told
  connectionString?: unknown
  host?: unknown
  port?: unknown
  user?: unknown
  database?: unknown
}

/** Where a connection or a pool goes, for a person: without a password. */
export function placeOf(scheme: string, port: number, connection: object): string {
  const given = connection as Told
  const told = given.options ?? given.config?.connectionConfig ?? given.config ?? given
  if (typeof told.connectionString === 'string') return withoutPassword(told.connectionString)
  const { host = 'localhost', user, database } = told
  const at = `${user === undefined ? '' : `${String(user)}@`}${String(host)}:${String(told.port ?? port)}`
  return `${scheme}://${at}/${String(database ?? user ?? '')}`
}

/** An address without its password and its options. */
export function withoutPassword(address: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(address)
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return `${address.split(':')[0]}://…`
  }
}
