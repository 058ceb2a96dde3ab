// What users see of this sub-path. Written by `LEAFID_WRITE_API=1 cargo xtask test --only consumers`.
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
interface NewTag {
    tag?: string;
    from?: Big;
    step?: number;
    max_step?: number;
    until?: Big;
}
type DeclaredTag = Pick<NewTag, "from" | "step" | "max_step" | "until">;
interface DeclaredNamespace {
    layout?: Layout | LayoutName | LayoutFields;
    workers?: {
        start: number;
        end: number;
    };
    max_window_ms?: number;
}
interface Declarations {
    tags?: Readonly<Record<string, DeclaredTag>>;
    namespaces?: Readonly<Record<string, DeclaredNamespace>>;
}
interface Clocks {
    wall(): number;
    up(): number;
}
interface SqliteStoreOptions {
    create?: boolean | Declarations;
}
declare function sqliteStore(path: string, options?: SqliteStoreOptions, clocks?: Clocks): Required<Store>;
interface SqlStoreOptions extends SqliteStoreOptions {
    tags?: "leaf_alloc";
    allowUnsafeSettings?: boolean;
}
type SqlConnection = string | {
    query(...words: never[]): unknown;
} | {
    prepare(text: string): unknown;
    exec(text: string): unknown;
};
declare function sqlStore(connection: SqlConnection, options?: SqlStoreOptions): Required<Store>;
interface Closable {
    close(): Promise<unknown>;
}
declare function closeOnSignal(...generators: readonly Closable[]): () => void;
export { closeOnSignal, sqlStore, sqliteStore };
export type { Closable, Declarations, DeclaredNamespace, DeclaredTag, SqlConnection, SqlStoreOptions, SqliteStoreOptions };
