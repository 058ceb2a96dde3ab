// Rounds of several works in turns, and the table of their medians.

/** Prints what each work took, as a ratio to the first: the floor. `measure` does a work once. */
export async function table(title, unit, rounds, works, measure) {
  const taken = works.map(() => [])
  const order = [...works.entries()]
  for (let round = 0; round < rounds; round++) {
    // In another order each time: garbage is collected every so many megabytes, and would be at the same work each time.
    order.sort(() => Math.random() - 0.5)
    for (const [at, work] of order) taken[at].push(await measure(work))
  }
  const medians = taken.map((all) => all.sort((a, b) => a - b)[rounds >> 1])
  console.log(`\n| ${title} | ${unit} | × floor |\n|---|---|---|`)
  for (const [at, { name }] of works.entries()) {
    console.log(`| ${name} | ${medians[at].toFixed(medians[at] < 1 ? 2 : 1)} | ${(medians[at] / medians[0]).toFixed(2)} |`)
  }
}
