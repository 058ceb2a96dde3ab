// What users see of this sub-path. Written by `LEAFID_WRITE_API=1 cargo xtask test --only consumers`.
type Alphabet = "base58" | "base62";
interface ScramblerOptions {
    prefix?: string;
    alphabet?: Alphabet;
}
declare class Scrambler {
    #private;
    readonly tag: string;
    readonly prefix: string | undefined;
    readonly alphabet: Alphabet;
    constructor(key: Uint8Array, tag: string, options?: ScramblerOptions);
    encode(id: bigint): string;
    decode(text: string): bigint;
    scramble(id: bigint): bigint;
    unscramble(number: bigint): bigint;
}
declare function toBase58(id: bigint): string;
declare function fromBase58(text: string): bigint;
declare function toBase62(id: bigint): string;
declare function fromBase62(text: string): bigint;
type ErrorCode = "REQUEST_INVALID" | "TAG_INVALID" | "NAMESPACE_INVALID" | "STEP_INVALID" | "COUNT_INVALID" | "LAYOUT_INVALID" | "WORKER_INVALID" | "RANGE_INVALID" | "ID_INVALID" | "UNAUTHORIZED" | "FORBIDDEN" | "TAG_UNKNOWN" | "NAMESPACE_UNKNOWN" | "NOT_ENABLED" | "TAG_EXISTS" | "LAYOUT_MISMATCH" | "LEASE_LOST" | "STORE_CHANGED" | "STORE_WENT_BACK" | "TAG_SPENT" | "TIME_OVERFLOW" | "QUOTA_EXCEEDED" | "STORE_UNAVAILABLE" | "OVERLOADED" | "WORKERS_EXHAUSTED" | "SEGMENT_DRY" | "WINDOW_SPENT" | "SEQUENCE_SPENT" | "CLOCK_BEHIND" | "TIMED_OUT" | "STORE_REFUSED" | "SCHEMA_MISMATCH" | "STORE_UNKNOWN" | "INTERNAL" | "CLOSED" | "GRANT_INVALID" | "STATE_LOCKED" | "STATE_INVALID";
interface ErrorDetails {
    until?: number | undefined;
    retryAfter?: number | undefined;
    cause?: unknown;
}
declare class LeafidError extends Error {
    readonly name = "LeafidError";
    readonly code: ErrorCode;
    readonly until?: number;
    readonly retryAfter?: number;
    constructor(code: ErrorCode | (string & {}), message: string, details?: ErrorDetails);
}
export { LeafidError, Scrambler, fromBase58, fromBase62, toBase58, toBase62 };
export type { Alphabet, ScramblerOptions };
