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
export { Generator, codeFacts, codeFromHttp, codes, sentence };
export type { At };
