/** The services of a host: Node, a Worker, a browser. */
export interface Host {
  /** Milliseconds on a monotonic clock. */
  clock(): number
  /** Milliseconds since 1970. */
  wall(): number
  /** Milliseconds on a clock that is never set, and that goes on during sleep if the host has such a clock. */
  ticking(): number
  /** The label of this holder, such as `hostname/pid`. */
  owner(): string
  /** A setting of the environment, such as `LEAFID_STORE`. */
  setting(name: string): string | undefined
  /** The address with an absolute path: a setting's is that of the folder of the import, any other that of the folder now. */
  absolute?(address: string, isSetting: boolean): string
  /** Warns whoever runs the program; `code` is what silences the warning. */
  warn(message: string, code: string): void
  /** Lets work finish after its caller's request. The work never rejects. */
  keep(work: Promise<void>): void
  /**
   * Calls back after `ms` without keeping the process alive; returns the cancellation. Absent where nothing may run
   * between requests: there the next request does the work.
   */
  later?(ms: number, act: () => void): () => void
  /** Whether one caller may await another's promise. Not in Workers, where a promise dies with its request. */
  sharesPromises: boolean
  /** The length of a window, in ms: by default the namespace's longest. */
  windowMs?: number
  /** The store in the file or database of an address, where the host has such stores. */
  storeAt?(address: string): object
  /** Why a request to an address failed, and a sentence about what to do, where the host tells more than its `fetch`. */
  unreached?(error: unknown, at: string): { reason?: string; cure?: string }
  /** The package that keeps state files, where the host has one. */
  nativePackage?: string
  /** How far a segment's step may grow, as a multiple of the tag's own. */
  maxGrowth?: number
}

let host: Host

/** Sets the host: called by the start module of this runtime. */
export function useHost(chosen: Host): void {
  host = chosen
}

export function theHost(): Host {
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
