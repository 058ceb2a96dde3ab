// What users see of this sub-path. Written by `LEAFID_WRITE_API=1 cargo xtask test --only consumers`.
declare const LAYOUTS: {
    readonly leaf: readonly [
        1288834974657,
        1,
        10,
        12
    ];
    readonly edge: readonly [
        1735689600000,
        1,
        16,
        6
    ];
    readonly long: readonly [
        1735689600000,
        10,
        16,
        8
    ];
    readonly js53: readonly [
        1735689600000,
        10,
        8,
        6
    ];
};
declare function decode(id: bigint | string | number, layout?: keyof typeof LAYOUTS): {
    time: Date;
    worker: number;
    sequence: number;
};
export { decode };
