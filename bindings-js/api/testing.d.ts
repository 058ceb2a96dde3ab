// What users see of this sub-path. Written by `LEAFID_WRITE_API=1 cargo xtask test --only consumers`.
interface Refused {
    code: string;
    until?: bigint;
    field?: string;
    of?: string;
}
type Verdict = Refused | {
    outcome: "applied" | "ignored";
} | {
    outcome: "release";
    release: object;
};
interface RawStats {
    ids: bigint;
    asks: bigint;
    grants: bigint;
    failures: bigint;
    waits: bigint;
    dropped: bigint;
    gaps: bigint;
    in_hand: bigint;
    step: bigint;
    offset_ms: number;
    last_code?: string;
    state_code?: string;
}
interface Carryover {
    store?: string;
    position: bigint;
    have_until?: bigint;
}
type Stance = {
    code: string;
} | {
    code?: undefined;
    until?: number | bigint;
};
interface CodeFacts {
    http?: number;
    permanent: boolean;
    stops: boolean;
    advice: string;
}
interface LayoutFields {
    epoch_ms: number;
    tick_ms: number;
    time_bits: number;
    worker_bits: number;
    sequence_bits: number;
}
type Big = bigint | string;
interface SegmentAsk {
    tag: string;
    request: string;
    store?: string;
    step?: number;
    at_least?: number;
    exactly?: number;
    have_until?: bigint;
}
interface AcquireAsk {
    namespace: string;
    request: string;
    store?: string;
    owner: string;
    layout?: LayoutFields;
    length_ms?: number;
    sticky: boolean;
    strict: boolean;
}
interface RenewAsk {
    namespace: string;
    request: string;
    store: string;
    worker: number;
    key: string;
    have_until: bigint;
    length_ms?: number;
}
interface ReleaseAsk {
    namespace: string;
    store: string;
    worker: number;
    key: string;
    unused_from: bigint;
}
interface SegmentGrant {
    request: string;
    store: string;
    tag: string;
    start: Big;
    end: Big;
    step: number;
    max_step: number;
    remaining?: Big;
    now_ms: number;
}
interface WindowGrant {
    request: string;
    store: string;
    worker: number;
    start: Big;
    end: Big;
    layout: LayoutFields;
    now_ms: number;
    max_window_ms: number;
}
type Answer<T> = T | Promise<T>;
interface Store {
    lease_segment?(ask: SegmentAsk, signal?: AbortSignal): Answer<SegmentGrant>;
    acquire?(ask: AcquireAsk, signal?: AbortSignal): Answer<WindowGrant>;
    renew?(ask: RenewAsk, signal?: AbortSignal): Answer<WindowGrant>;
    release?(ask: ReleaseAsk, signal?: AbortSignal): Answer<unknown>;
}
interface ConformOptions {
    tag?: string;
    namespace?: string;
    setClock?: (ms: number) => void;
    createsOnUse?: boolean;
}
interface Conformed {
    passed: string[];
    skipped: Record<string, string>;
}
declare class ConformError extends Error {
    readonly name = "ConformError";
    readonly failed: Readonly<Record<string, string>>;
    constructor(failed: Readonly<Record<string, string>>, count: number);
}
declare function conform(store: Store, options?: ConformOptions): Promise<Conformed>;
type At = number | bigint | string;
declare class Generator {
    #private;
    constructor(kind: "segment" | "snowflake", config: object, seed: bigint);
    next(at: At): bigint | Refused;
    fill(at: At, n: number): bigint[] | Refused;
    fillAvailable(at: At, n: number): bigint[] | Refused;
    ready(at: At, n: number): true | Refused;
    wantsAsk(at: At): boolean;
    pollAt(): bigint | undefined;
    pollAsk(at: At, entropy: Uint8Array): Record<string, unknown> | undefined;
    grant(at: At, sent: At, grant: {
        request: string;
    }): Verdict;
    failure(at: At, request: string, code: string, retryAfterMs?: number): void;
    retire(): object | undefined;
    forget(): void;
    resumed(): void;
    leased(at: At, wall: At): void;
    look(at: At, wall: At): boolean;
    carryover(): Carryover;
    resume(before: Carryover, highest?: bigint, layout?: object): void;
    stance(at: At, code: string, until?: At): Stance;
    failing(): string | undefined;
    stats(): RawStats;
}
declare function codes(): string[];
declare function codeFromHttp(status: number): string;
declare function codeFacts(code: string): CodeFacts | undefined;
declare function sentence(code: string, kind: string, name: string, most?: number, waitMs?: number): string;
export { ConformError, Generator, codeFacts, codeFromHttp, codes, conform, sentence };
export type { At, ConformOptions, Conformed };
