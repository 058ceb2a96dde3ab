// What users see of this sub-path. Written by `LEAFID_WRITE_API=1 cargo xtask test --only consumers`.
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
interface LayoutFields {
    epoch_ms: number;
    tick_ms: number;
    time_bits: number;
    worker_bits: number;
    sequence_bits: number;
}
type LayoutName = "leaf" | "edge" | "long" | "js53";
interface Parts {
    time: Date;
    timeMs: bigint;
    tick: bigint;
    worker: number;
    sequence: bigint;
}
type Moment = Date | number | bigint;
declare class Layout {
    #private;
    static readonly leaf: Layout;
    static readonly edge: Layout;
    static readonly long: Layout;
    static readonly js53: Layout;
    constructor(given: LayoutName | LayoutFields);
    get epochMs(): number;
    get tickMs(): number;
    get timeBits(): number;
    get workerBits(): number;
    get sequenceBits(): number;
    get lastMs(): bigint;
    get perSecond(): bigint;
    get workers(): bigint;
    compose(time: Moment, worker: number, sequence: bigint | number): bigint;
    decompose(id: bigint): Parts;
    firstId(time: Moment): bigint;
    lastId(time: Moment): bigint;
    toJSON(): LayoutFields;
}
interface DecodeOptions {
    layout?: Layout | LayoutName | LayoutFields;
}
declare function decode(id: bigint | string | number, options?: DecodeOptions | Layout | LayoutName | LayoutFields): Parts;
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
type StoreOption = Store | string | URL | (() => Store);
interface GeneratorOptions {
    store?: StoreOption;
    timeout?: number;
    onError?: (error: LeafidError) => void;
    clock?: () => number;
}
interface CallOptions {
    signal?: AbortSignal;
}
declare const kind: unique symbol;
type Id<Kind extends string> = bigint & {
    readonly [kind]: Kind;
};
type IdText<Kind extends string> = string & {
    readonly [kind]: Kind;
};
type IdOf<Kind extends string> = [
    Kind
] extends [
    never
] ? bigint : Id<Kind>;
type IdTextOf<Kind extends string> = [
    Kind
] extends [
    never
] ? string : IdText<Kind>;
type Stats = Record<"ids" | "asks" | "grants" | "failures" | "waits" | "dropped" | "gaps" | "in_hand" | "step", number> & {
    offset_ms: number;
    last_code: string | undefined;
    state_code: string | undefined;
    engine: "native" | "wasm";
};
declare abstract class BaseGenerator<Kind extends string = never> implements AsyncDisposable {
    #private;
    next(options?: CallOptions): Promise<IdOf<Kind>>;
    nextSync(): IdOf<Kind>;
    nextString(options?: CallOptions): Promise<IdTextOf<Kind>>;
    nextStringSync(): IdTextOf<Kind>;
    nextNumber(options?: CallOptions): Promise<number>;
    take(n: number, options?: CallOptions): Promise<IdOf<Kind>[]>;
    takeSync(n: number): IdOf<Kind>[];
    ready(n: number, options?: CallOptions): Promise<void>;
    fill(out: BigUint64Array, options?: CallOptions): Promise<void>;
    fillSync(out: BigUint64Array): void;
    fillAvailable(out: BigUint64Array): number;
    close(options?: {
        release?: boolean;
    }): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    [Symbol.asyncIterator](): AsyncGenerator<IdOf<Kind>, never, void>;
    forget(): void;
    stats(): Stats;
}
interface SegmentOptions extends GeneratorOptions {
    step?: number;
    maxStep?: number;
    maxGrowth?: number;
}
declare class Segment<Kind extends string = never> extends BaseGenerator<Kind> {
    readonly tag: string;
    constructor(tag: string, options?: SegmentOptions);
}
interface SnowflakeOptions extends GeneratorOptions {
    layout?: Layout | LayoutName | LayoutFields;
    owner?: string;
    sticky?: boolean;
    strict?: boolean;
    lengthMs?: number;
    maxAheadMs?: number;
    spread?: number;
    state?: string;
}
declare class Snowflake<Kind extends string = never> extends BaseGenerator<Kind> {
    readonly namespace: string;
    constructor(namespace?: string, options?: SnowflakeOptions);
}
type RequestHeaders = Readonly<Record<string, string>>;
type GivenHeaders = RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
interface HttpStoreOptions {
    token?: string;
    headers?: GivenHeaders;
    fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
declare function httpStore(url: string | URL, options?: HttpStoreOptions): Required<Store>;
interface NewTag {
    tag?: string;
    from?: Big;
    step?: number;
    max_step?: number;
    until?: Big;
}
interface Workers {
    start: number;
    end: number;
}
interface MemoryStoreOptions {
    clock?: () => number;
    id?: string;
    createOnUse?: boolean;
}
declare function memoryStore(options?: MemoryStoreOptions): MemoryStore;
declare class MemoryStore implements Store {
    #private;
    constructor(options: MemoryStoreOptions);
    get id(): string;
    createTag(tag: string, wanted?: Omit<NewTag, "tag">): void;
    deleteTag(tag: string): void;
    createNamespace(namespace: string, wanted?: {
        layout?: Layout | LayoutName | LayoutFields;
        workers?: Workers;
        max_window_ms?: number;
    }): void;
    setWorkers(namespace: string, workers: Workers): void;
    revoke(namespace: string, worker: number): void;
    lease_segment(ask: SegmentAsk): SegmentGrant;
    acquire(ask: AcquireAsk): WindowGrant;
    renew(ask: RenewAsk): WindowGrant;
    release(ask: ReleaseAsk): object;
}
declare function toBase32(id: bigint): string;
declare function fromBase32(text: string): bigint;
declare function toDecimal(id: bigint): string;
declare function fromDecimal(text: string): bigint;
declare function version(): string;
export { Layout, LeafidError, MemoryStore, Segment, Snowflake, decode, fromBase32, fromDecimal, httpStore, memoryStore, toBase32, toDecimal, version };
export type { AcquireAsk, Big, CallOptions, DecodeOptions, ErrorCode, ErrorDetails, GeneratorOptions, GivenHeaders, HttpStoreOptions, Id, IdText, LayoutFields, LayoutName, MemoryStoreOptions, Moment, Parts, ReleaseAsk, RenewAsk, RequestHeaders, SegmentAsk, SegmentGrant, SegmentOptions, SnowflakeOptions, Stats, Store, StoreOption, WindowGrant };
