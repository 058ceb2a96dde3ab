// The control of stores over tables: decides on the rows that it read, and writes without checking that they are
// unchanged. Uses nothing of a host.

/** A statement without the condition that its row is unchanged. */
function bare(step) {
  const sql = step.sql.replace(/(WHERE tag = .+?) AND[^]*?(RETURNING|$)/, '$1 $2')
  if (/^UPDATE \S*tags/.test(step.sql) && sql === step.sql) throw new Error(`nothing was left out of ${sql}`)
  return { ...step, sql, params: sql.includes('?') ? step.params.slice(0, sql.split('?').length - 1) : step.params }
}

/** `read` and `write` are of the tables; `run` runs decisions over tables, and `works` makes them. */
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
  // An overwritten row goes back, which a holder that sends `have_until` would notice.
  return { lease_segment: ({ have_until: _, ...ask }) => run(tables, () => works.begin('lease_segment', ask)) }
}
