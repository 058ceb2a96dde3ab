// The control of stores over tables: one that decides on what it read, and writes without looking whether that is still so. No host
// is used here.

/** A statement without the condition that the row is still as it was read. */
function bare(step) {
  const sql = step.sql.replace(/(WHERE tag = .+?) AND[^]*?(RETURNING|$)/, '$1 $2')
  if (/^UPDATE \S*tags/.test(step.sql) && sql === step.sql) throw new Error(`nothing was left out of ${sql}`)
  return { ...step, sql, params: sql.includes('?') ? step.params.slice(0, sql.split('?').length - 1) : step.params }
}

/** `read` and `write` are the tables', `run` is what runs decisions over some, and `works` makes them. */
export function careless({ read, write }, run, works) {
  const tables = {
    async read(queries) {
      const found = await read(queries)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return found
    },
    async write(steps) {
      await write(steps.map(bare))
      return true
    },
  }
  // Who overwrites a row sets it back, and a holder that says what it has would notice.
  return { lease_segment: ({ have_until: _, ...ask }) => run(tables, () => works.begin('lease_segment', ask)) }
}
