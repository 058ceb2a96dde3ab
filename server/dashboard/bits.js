// Layouts: the parts of an ID. Independent of the page: a BigInt in, BigInts out.

const EPOCH = 1_735_689_600_000n

const layout = (epoch, tick, time, worker, sequence) => ({
  epoch_ms: epoch, tick_ms: BigInt(tick), time_bits: time, worker_bits: worker, sequence_bits: sequence,
})

/** The presets, by name. */
export const PRESETS = {
  leaf: layout(1_288_834_974_657n, 1, 41, 10, 12),
  edge: layout(EPOCH, 1, 41, 16, 6),
  long: layout(EPOCH, 10, 39, 16, 8),
  js53: layout(EPOCH, 10, 39, 8, 6),
}

/** A layout as the server writes it. */
export function read(wire) {
  return layout(BigInt(wire.epoch_ms), wire.tick_ms, wire.time_bits, wire.worker_bits, wire.sequence_bits)
}

/** A layout in words: `41/10/12 bits, 1 ms`. */
export function words({ time_bits, worker_bits, sequence_bits, tick_ms }) {
  return `${time_bits}/${worker_bits}/${sequence_bits} bits, ${tick_ms} ms`
}

/** Parses an ID; undefined for anything else. */
export function parse(text) {
  if (!/^(0|[1-9][0-9]{0,18})$/.test(text)) return undefined
  const id = BigInt(text)
  return id < 1n << 63n ? id : undefined
}

/** The parts of an ID; undefined if it has bits above the layout's. */
export function decompose(id, { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits }) {
  if (id >> BigInt(time_bits + worker_bits + sequence_bits) !== 0n) return undefined
  const low = (value, bits) => value & ((1n << BigInt(bits)) - 1n)
  const tick = id >> BigInt(worker_bits + sequence_bits)
  return {
    time_ms: epoch_ms + tick * tick_ms,
    tick,
    worker: low(id >> BigInt(sequence_bits), worker_bits),
    sequence: low(id, sequence_bits),
  }
}

/** The part and value of each of the 64 bits, the highest first. */
export function bits(id, { time_bits, worker_bits, sequence_bits }) {
  const parts = []
  for (let place = 63; place >= 0; place -= 1) {
    const above = (width) => place >= width
    const part = !above(sequence_bits) ? 'sequence'
      : !above(sequence_bits + worker_bits) ? 'worker'
      : !above(sequence_bits + worker_bits + time_bits) ? 'time' : 'unused'
    parts.push({ place, part, set: ((id >> BigInt(place)) & 1n) === 1n })
  }
  return parts
}
