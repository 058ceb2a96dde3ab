/* tslint:disable */
/* eslint-disable */

export function __wbg_reset_state(): void;

/**
 * Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
 * `rows` has `mine`, `own`, `spare` and `rested`, each with its `worker`, as far as they are there.
 */
export function acquire(store: string, namespace: object, rows: object, ask: object, now_ms: number): object;

/**
 * What another instance of this generator may know: `store`, `position`, `have_until`.
 */
export function carryover(handle: number): object;

/**
 * What a code means: `{ http, permanent, stops, advice }`, or `undefined` if there is none.
 */
export function codeFacts(code: string): object | undefined;

/**
 * The code of an HTTP answer that came without one.
 */
export function codeFromHttp(status: number): string;

/**
 * Every code, in the order of the table.
 */
export function codes(): string[];

/**
 * `{ id }` of a moment, a worker and a sequence number.
 */
export function compose(layout: object, time_ms: bigint, worker: number, sequence: bigint): object;

/**
 * Builds a generator under a handle of the caller's; `undefined`, or the refusal.
 */
export function create(handle: number, kind: string, config: object, seed: bigint): object | undefined;

/**
 * The parts of an ID.
 */
export function decompose(layout: object, whole: bigint): object;

/**
 * The version of this engine, compared with the package's own when it is loaded.
 */
export function engineVersion(): string;

/**
 * Why asking fails, until an ask succeeds.
 */
export function failing(handle: number): string | undefined;

/**
 * IDs for all of `out`, in order: how many, 0 when not all can be had, and then nothing is written
 * or spent; the highest bit says that an ask is due.
 */
export function fill(handle: number, now: number, out: BigUint64Array): number;

/**
 * As many IDs as are at hand, in order, up to the length of `out`: how many, 0 when none is;
 * the highest bit says that an ask is due.
 */
export function fillAvailable(handle: number, now: number, out: BigUint64Array): number;

/**
 * `{ id }`: the smallest that a moment can have.
 */
export function firstId(layout: object, time_ms: bigint): object;

/**
 * Drops every right and the ask that is out.
 */
export function forget(handle: number): void;

/**
 * Forgets a generator for good.
 */
export function free(handle: number): void;

/**
 * The ID of a base32 form.
 */
export function fromBase32(text: string): bigint | undefined;

/**
 * The ID of a decimal form.
 */
export function fromDecimal(text: string): bigint | undefined;

/**
 * Until when what the last filling gave is timely, on the host's clock: the end of the tick of its
 * first ID. Segments have no time; this is told of snowflakes, and of more than one ID.
 */
export function goodUntil(handle: number): number;

/**
 * Notes that the ask of this request failed.
 */
export function handleFailure(handle: number, request: string, code: string, retry_after_ms: number | null | undefined, now: number): void;

/**
 * Applies the answer to the ask of this request: `{ outcome, release? }`, or the refusal, whose
 * `field` names what could not be read.
 */
export function handleGrant(handle: number, request: string, grant: object, sent: number, now: number): object;

/**
 * Whether a worker's row is kept from this owner, however long its window is over.
 */
export function isKeptFrom(row: object, owner: string, now_ms: number): boolean;

/**
 * `{ id }`: the largest that a moment can have.
 */
export function lastId(layout: object, time_ms: bigint): object;

/**
 * The fields of a layout, and what follows from them. Every `layout` here is `{ layout }`: the
 * five fields, or a preset's name.
 */
export function layoutFacts(layout: object): object;

/**
 * The layout of a snowflake generator, once it is known.
 */
export function layoutInUse(handle: number): object | undefined;

/**
 * Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
 */
export function leaseSegment(store: string, row: object, ask: object, now_ms: number): object;

/**
 * A lease was granted, at these readings of the host's monotonic and wall clock.
 */
export function leased(handle: number, now: number, wall: number): void;

/**
 * Whether the host was suspended since the last lease: what was not due yet is due then.
 */
export function look(handle: number, now: number, wall: number): boolean;

/**
 * How many IDs can be had in one go at most, as far as is known.
 */
export function most(handle: number): number;

/**
 * The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
 * `max_window_ms`, and `namespace`, which is only checked.
 */
export function namespaceRow(wanted: object): object;

/**
 * What to ask the store for now: its fields and `ask`, or `undefined`. `entropy` are 16 random bytes.
 */
export function pollAsk(handle: number, now: number, entropy: Uint8Array | number[]): object | undefined;

/**
 * When the next ask is due (host's clock), `undefined` while only drawing can make it so.
 */
export function pollAt(handle: number): bigint | undefined;

/**
 * Whether `n` IDs can be had in one go now.
 */
export function ready(handle: number, now: number, n: number): boolean;

/**
 * Why the last filling or `ready` gave nothing.
 */
export function refusal(handle: number): object;

/**
 * Takes back the rest of a window: `{ row }`, or the refusal.
 */
export function release(store: string, row: object, ask: object): object;

/**
 * Moves the end of a window forward: `{ row, grant }`, or the refusal.
 */
export function renew(store: string, namespace: object, row: object, ask: object, now_ms: number): object;

/**
 * Takes over what another instance of this generator knew, and goes on above the highest ID that
 * it handed out, whose layout was this.
 */
export function resume(handle: number, before: object, highest?: bigint | null, layout?: object | null): void;

/**
 * The host was suspended: what was not due yet is.
 */
export function resumed(handle: number): void;

/**
 * Graceful stop: the release to send, or `undefined`.
 */
export function retire(handle: number): object | undefined;

/**
 * A refusal in words: what happened to the `tag` or `namespace` of this name, and what to do; of
 * any other kind, `name` are the words themselves.
 */
export function sentence(code: string, kind: string, name: string, most?: number | null, wait_ms?: number | null): string;

/**
 * Whether the caller of a refused draw raises (`{ code }`) or waits (`{ until? }`), once the ask
 * that is due was sent.
 */
export function stance(handle: number, code: string, until: number | null | undefined, now: number): object;

/**
 * The counters.
 */
export function stats(handle: number): object;

/**
 * The row of a new tag, or of one created again over its tombstone: `{ row }`, or the refusal.
 * `wanted` has `from`, `step`, `max_step`, and `tag`, which is only checked.
 */
export function tagRow(before: object | null | undefined, wanted: object): object;

/**
 * 13 characters that sort as the numbers do.
 */
export function toBase32(id: bigint): string | undefined;

/**
 * The decimal form, `undefined` for what is none; so are the forms below.
 */
export function toDecimal(id: bigint): string | undefined;

/**
 * Whether an ask is due.
 */
export function wantsAsk(handle: number, now: number): boolean;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly acquire: (a: number, b: number, c: any, d: any, e: any, f: number) => any;
    readonly carryover: (a: number) => any;
    readonly codeFacts: (a: number, b: number) => any;
    readonly codeFromHttp: (a: number) => [number, number];
    readonly codes: () => [number, number];
    readonly compose: (a: any, b: bigint, c: number, d: bigint) => any;
    readonly create: (a: number, b: number, c: number, d: any, e: bigint) => any;
    readonly decompose: (a: any, b: bigint) => any;
    readonly engineVersion: () => [number, number];
    readonly failing: (a: number) => [number, number];
    readonly fill: (a: number, b: number, c: number, d: number, e: any) => number;
    readonly fillAvailable: (a: number, b: number, c: number, d: number, e: any) => number;
    readonly firstId: (a: any, b: bigint) => any;
    readonly forget: (a: number) => void;
    readonly free: (a: number) => void;
    readonly fromBase32: (a: number, b: number) => [number, bigint];
    readonly fromDecimal: (a: number, b: number) => [number, bigint];
    readonly goodUntil: (a: number) => number;
    readonly handleFailure: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => void;
    readonly handleGrant: (a: number, b: number, c: number, d: any, e: number, f: number) => any;
    readonly isKeptFrom: (a: any, b: number, c: number, d: number) => number;
    readonly lastId: (a: any, b: bigint) => any;
    readonly layoutFacts: (a: any) => any;
    readonly layoutInUse: (a: number) => any;
    readonly leaseSegment: (a: number, b: number, c: any, d: any, e: number) => any;
    readonly leased: (a: number, b: number, c: number) => void;
    readonly look: (a: number, b: number, c: number) => number;
    readonly most: (a: number) => number;
    readonly namespaceRow: (a: any) => any;
    readonly pollAsk: (a: number, b: number, c: number, d: number) => any;
    readonly pollAt: (a: number) => [number, bigint];
    readonly ready: (a: number, b: number, c: number) => number;
    readonly refusal: (a: number) => any;
    readonly release: (a: number, b: number, c: any, d: any) => any;
    readonly renew: (a: number, b: number, c: any, d: any, e: any, f: number) => any;
    readonly resume: (a: number, b: any, c: number, d: bigint, e: number) => void;
    readonly resumed: (a: number) => void;
    readonly retire: (a: number) => any;
    readonly sentence: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number) => [number, number];
    readonly stance: (a: number, b: number, c: number, d: number, e: number, f: number) => any;
    readonly stats: (a: number) => any;
    readonly tagRow: (a: number, b: any) => any;
    readonly toBase32: (a: bigint) => [number, number];
    readonly toDecimal: (a: bigint) => [number, number];
    readonly wantsAsk: (a: number, b: number) => number;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __externref_drop_slice: (a: number, b: number) => void;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
