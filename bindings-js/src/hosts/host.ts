/** What a host (Node, a Worker, a browser) provides. */
export interface Host {
  /** Milliseconds on a clock that only has to tick. */
  clock(): number
  /** Milliseconds since 1970. */
  wall(): number
  /** Milliseconds on a clock that nobody sets, and that goes on while the machine sleeps where there is such a clock. */
  ticking(): number
  /** The label of this holder, such as `hostname/pid`. */
  owner(): string
  /** A setting of the environment, such as `LEAFID_STORE`. */
  setting(name: string): string | undefined
  /** Tells whoever runs the program what is not as it should be, and goes on; `code` is what silences it. */
  warn(message: string, code: string): void
  /** Lets this work finish when its caller no longer waits for it. The work never rejects. */
  keep(work: Promise<void>): void
  /**
   * Calls back after a while without keeping the process alive; returns how to cancel that.
   * Absent where nothing may run between requests: there the next request does it.
   */
  later?(ms: number, act: () => void): () => void
  /** Whether one caller may await what another started. Not in Workers, where a promise dies with its request. */
  sharesPromises: boolean
  /** How long a window to ask for: by default all that the namespace allows. */
  windowMs?: number
  /** The store in a file or a database that an address names, where there are such. */
  storeAt?(address: string): object
  /** The package whose engine has state files, where there could be one. */
  nativePackage?: string
  /** How far a segment's step may grow, as a multiple of the tag's own. */
  maxGrowth?: number
}

let host: Host | undefined

/** Called once, by the start module of this runtime. */
export function useHost(chosen: Host): void {
  // The first stays, as the engine does.
  host ??= chosen
}

/** The host. */
export function theHost(): Host {
  if (host === undefined) throw new Error('no host: import `leafid`, not one of its files')
  return host
}

/** Random bytes. At a Worker's module scope this throws. */
export function entropy(bytes: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(bytes))
}

/** 128 random bits as 32 lower-case hex digits. */
export function randomToken(): string {
  return Array.from(entropy(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
