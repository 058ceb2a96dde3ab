// The conformance suite over tables: what an operator does there, as steps, and a store of one script. No host is used here.

const EMPTY = ['tags', 'namespaces', 'workers'].map((table) => ({ sql: `DELETE FROM ${table}`, params: [], must: 'nothing' }))
const RESET = { sql: 'UPDATE meta SET store = ?, floor_ms = 0, beat_ms = 0, position = 0', store: (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16)) }

/** How scripts of the kind `store` are played over tables: `run(begin)` decides and writes one after another. */
export function storeOver(run, { sql, registry, LeafidError, dialect = sql.SQLITE, reset = RESET }) {
  const { Works, putTag, putNamespace, putWorker, tagOf, namespaceOf, workerOf } = sql
  const read = async (text, params, of) => {
    let found
    await run(function* () {
      const [rows] = yield [dialect.query(text, params)]
      found = rows.map(of)
      return { steps: [], answer: undefined }
    })
    return found[0]
  }
  const write = (steps) =>
    run(function* () {
      return { steps, answer: undefined }
    })
  const unknown = (kind, name) => new LeafidError(kind === 'tag' ? 'TAG_UNKNOWN' : 'NAMESPACE_UNKNOWN', name)
  const tagRow = (tag) => read('tag', { tag }, (row) => tagOf(row, tag))
  const verbs = {
    async create_tag({ tag, from, step, max_step, until }) {
      const was = await tagRow(tag)
      await write(putTag(dialect, tag, registry.tag_row({ tag, from, step, max_step, until }, was), was))
    },
    async delete_tag({ tag }) {
      const was = await tagRow(tag)
      if (was === undefined || was.deleted) throw unknown('tag', tag)
      await write(putTag(dialect, tag, { ...was, deleted: true }, was))
    },
    async create_namespace({ namespace, ...wanted }) {
      const row = registry.namespace_row({ ...wanted, namespace })
      await write(putNamespace(dialect, namespace, { row, usedUntil: row.workers.start }))
    },
    async set_workers({ namespace, workers }) {
      const was = await read('namespace', { namespace }, (row) => namespaceOf(row, namespace))
      if (was === undefined) throw unknown('namespace', namespace)
      const { layout, max_window_ms, floor } = was.row
      const row = { ...registry.namespace_row({ layout, max_window_ms, namespace, workers }), floor }
      await write(putNamespace(dialect, namespace, { row, usedUntil: workers.start }, was))
    },
    async revoke({ namespace, worker }) {
      const space = await read('namespace', { namespace }, (row) => namespaceOf(row, namespace))
      if (space === undefined) throw unknown('namespace', namespace)
      const was = await read('worker', { namespace, worker }, (row) => workerOf(row, namespace))
      const { start, end } = space.row.workers
      if (was === undefined && !(worker >= start && worker < end)) throw new LeafidError('WORKER_INVALID', namespace)
      const { key: _, ...rest } = was ?? {}
      if (was !== undefined) await write([putWorker(dialect, namespace, { ...rest, owner: '', sticky: false }, was)])
    },
  }
  return async (_, __, script) => {
    await write([...EMPTY, { sql: reset.sql, params: [reset.store(script.store)], must: 'nothing' }])
    for (const tag of script.tags ?? []) await verbs.create_tag(tag)
    for (const namespace of script.namespaces ?? []) await verbs.create_namespace(namespace)
    let now = 0
    const works = new Works({ dialect, clock: () => now, hasVersion: false, unknown })
    return async (step) => {
      now = Number(step.at)
      if (step.do in verbs) return (await verbs[step.do](step)) ?? {}
      return run(() => works[step.do](step.ask))
    }
  }
}
