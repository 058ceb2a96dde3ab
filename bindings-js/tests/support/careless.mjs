// The control of stores over tables: the guard is off. It writes a tag's row without checking that the row is as it
// was read. Uses nothing of a host.
const STEP = 200n

/** `run` runs a statement, and returns its rows. */
export function careless(run) {
  return {
    async leaseSegment({ tag, request }) {
      const [{ max_id }] = await run('SELECT CAST(max_id AS CHAR(20)) AS max_id FROM tags')
      await new Promise((resolve) => setTimeout(resolve, 5))
      const [start, end] = [BigInt(max_id), BigInt(max_id) + STEP]
      await run(`UPDATE tags SET max_id = ${end}`)
      return { request, store: '5a'.repeat(16), tag, start, end, step: Number(STEP), maxStep: Number(STEP), nowMs: Date.now() }
    },
  }
}
