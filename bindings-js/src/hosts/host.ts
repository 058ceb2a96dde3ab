/** What a host (Node, workerd, a browser) brings beside an engine. */
export interface Host {
  /** Milliseconds on a clock that only has to tick. */
  clock(): number
  /** Milliseconds since 1970. */
  wall(): number
  /** The label of this process for its windows. */
  owner(): string
  /** A setting of the environment, such as `LEAFID_STORE`. */
  setting(name: string): string | undefined
  /** Lets this work end though its caller does not wait for it. The work never rejects. */
  keep(work: Promise<void>): void
  /**
   * Calls back after a while without keeping the process alive; returns how to cancel that.
   * Absent where nothing may run between requests: there the next request does it.
   */
  later?(ms: number, act: () => void): () => void
  /** Whether one caller may await what another caused: not so in Workers, where a promise dies with its request. */
  sharesPromises: boolean
  /** Whether `clock` goes on while `wall` jumps, so that a gap between them shows a suspend. */
  showsSuspend: boolean
  /** How long a window to ask for; all that the namespace allows if not said. */
  windowMs?: number
  /** How far a segment's step grows. */
  maxGrowth?: number
}

let host: Host | undefined

/** Called once by the entry that the host's condition chose. */
export function useHost(chosen: Host): void {
  host = chosen
}

/** The host. */
export function theHost(): Host {
  if (host === undefined) throw new Error('no host: import `leafid`, not one of its files')
  return host
}

/** Random bytes. Workers have none at module scope. */
export function entropy(bytes: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(bytes))
}

/** 128 random bits as 32 lower-case hex digits. */
export function randomToken(): string {
  return Array.from(entropy(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
