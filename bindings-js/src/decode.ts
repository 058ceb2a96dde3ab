/** Epoch and tick in ms, bits of worker and sequence. */
const LAYOUTS = {
  leaf: [1288834974657, 1, 10, 12],
  edge: [1735689600000, 1, 16, 6],
  long: [1735689600000, 10, 16, 8],
  js53: [1735689600000, 10, 8, 6],
} as const

/** The parts of an ID without an engine, by default in the layout `leaf`. `SyntaxError` or `RangeError` for no ID. */
export function decode(id: bigint | string | number, layout: keyof typeof LAYOUTS = 'leaf'): { time: Date; worker: number; sequence: number } {
  const [epoch, tick, worker, sequence] = LAYOUTS[layout]
  const bits = BigInt(id)
  const low = (from: bigint, width: number) => Number(BigInt.asUintN(width, from))
  return {
    time: new Date(epoch + Number(bits >> BigInt(worker + sequence)) * tick),
    worker: low(bits >> BigInt(sequence), worker),
    sequence: low(bits, sequence),
  }
}
