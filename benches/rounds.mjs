// Measures several works in turns, and prints a table of the medians.

/** Prints each work's median, and its ratio to the first work, the floor. `measure` runs a work once. */
export async function table(title, unit, rounds, works, measure) {
  const taken = works.map(() => [])
  const order = [...works.entries()]
  for (let round = 0; round < rounds; round++) {
    // In random order: garbage is collected at regular intervals, which would always hit the same work.
    order.sort(() => Math.random() - 0.5)
    for (const [at, work] of order) taken[at].push(await measure(work))
  }
  const medians = taken.map((all) => all.sort((a, b) => a - b)[rounds >> 1])
  console.log(`\n| ${title} | ${unit} | × floor |\n|---|---|---|`)
  for (const [at, { name }] of works.entries()) {
    console.log(`| ${name} | ${medians[at].toFixed(medians[at] < 1 ? 2 : 1)} | ${(medians[at] / medians[0]).toFixed(2)} |`)
  }
}
