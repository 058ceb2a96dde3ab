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
interface TagRow {
    max_id: Big;
    step: number;
    max_step: number;
    deleted?: boolean;
    until?: Big;
    claimed_until?: Big;
}
interface NamespaceRow {
    layout: LayoutFields | LayoutName;
    max_window_ms: number;
    workers?: {
        start: number;
        end: number;
    };
    floor?: Big;
}
interface WorkerRow {
    worker: number;
    owner?: string;
    sticky?: boolean;
    key?: string;
    held_from?: Big;
    reserved_until?: Big;
    granted_ms?: number;
}
type Leased<R, G> = {
    row: R;
} & ({
    grant: G;
    refused?: undefined;
} | {
    grant?: undefined;
    refused: LeafidError;
});
declare function lease_segment(store: string, row: TagRow, ask: SegmentAsk, nowMs: number): Leased<TagRow, SegmentGrant>;
interface Candidates {
    mine?: WorkerRow | undefined;
    own?: WorkerRow | undefined;
    spare?: WorkerRow | undefined;
    rested?: WorkerRow | undefined;
}
interface Acquired {
    row: WorkerRow;
    freed?: WorkerRow;
    grant: WindowGrant;
}
declare function acquire(store: string, namespace: NamespaceRow, rows: Candidates, ask: AcquireAsk, nowMs: number): Acquired;
interface Found extends Omit<Candidates, "rested"> {
    used_until: number;
    unused?: number;
    rested?: WorkerRow | undefined;
    kept?: WorkerRow | undefined;
}
type AcquiredFound = {
    unused_from: number;
} | (Acquired & {
    unused_from?: undefined;
    used_until: number;
});
declare function acquire_found(store: string, namespace: NamespaceRow, rows: Found, ask: AcquireAsk, nowMs: number): AcquiredFound;
declare function renew(store: string, namespace: NamespaceRow, row: WorkerRow, ask: RenewAsk, nowMs: number): Leased<WorkerRow, WindowGrant>;
declare function release(store: string, row: WorkerRow, ask: ReleaseAsk): {
    row: WorkerRow;
};
interface NewTag {
    tag?: string;
    from?: Big;
    step?: number;
    max_step?: number;
    until?: Big;
}
declare function tag_row(wanted?: NewTag, before?: TagRow): TagRow;
interface NewNamespace {
    namespace?: string;
    layout: LayoutFields | LayoutName;
    workers?: {
        start: number;
        end: number;
    };
    max_window_ms?: number;
}
declare function namespace_row(wanted: NewNamespace): NamespaceRow;
export { acquire, acquire_found, lease_segment, namespace_row, release, renew, tag_row };
export type { Acquired, AcquiredFound, Candidates, Found, Leased, NamespaceRow, NewNamespace, NewTag, TagRow, WorkerRow };
