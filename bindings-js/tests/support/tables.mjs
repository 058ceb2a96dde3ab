// The conformance suite over tables: what an operator does there, and a store of one script. No host is used here.

const EMPTY = ['tags', 'namespaces', 'workers'].map((table) => ({ sql: `DELETE FROM ${table}`, params: [], must: 'nothing' }))
const RESET = { sql: 'UPDATE meta SET store = ?, floor_ms = 0, beat_ms = 0, position = 0', store: (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16)) }
/** What an operator does, in the engine's words. */
const OPERATES = { create_tag: 'create_tag', set_tag: 'set_tag', advance_tag: 'advance_tag', delete_tag: 'delete_tag', create_namespace: 'create_namespace', set_workers: 'set_namespace', revoke: 'release_worker' }

/** How scripts of the kind `store` are played over tables: `run(begin)` decides and writes one after another. */
export function storeOver(run, { Works, dialect, reset = RESET }) {
  return async (_, __, script) => {
    const params = [reset.store(script.store)]
    await run(function* () {
      return { steps: [...EMPTY, { sql: reset.sql, params, must: 'nothing' }], answer: {} }
    })
    let now = 0
    const works = new Works({ dialect, clock: () => now, hasVersion: false })
    const operate = ({ do: what, ...ask }) => run(() => works.begin(OPERATES[what], ask))
    for (const tag of script.tags ?? []) await operate({ do: 'create_tag', ...tag })
    for (const namespace of script.namespaces ?? []) await operate({ do: 'create_namespace', ...namespace })
    return async (step) => {
      now = Number(step.at)
      if (!(step.do in OPERATES)) return run(() => works.begin(step.do, step.ask))
      await operate(step)
      return {}
    }
  }
}
