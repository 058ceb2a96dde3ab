// Replays one file of vectors through the public package. Uses nothing of a host, so it runs in Node and in a Worker.
import { fields, respelled } from './spelling.mjs'

/** Counts the scripts, and lists their failures; `own` plays kinds in another way. */
export async function replay(leafid, testing, { scripts }, own = {}) {
  const wrong = []
  for (const script of JSON.parse(JSON.stringify(scripts), (name, value) => (name === 'do' ? respelled(value) : fields(name, value)))) {
    try {
      await play(leafid, testing, script, { ...KINDS, ...own })
    } catch (error) {
      wrong.push(`${script.name}: ${error instanceof Wrong ? error.message : error.stack}`)
    }
  }
  return { count: scripts.length, wrong }
}

class Wrong extends Error {}

const KINDS = { layouts, text, segment: generator, snowflake: generator, store, rows, errors, public: publicIds }

async function play(leafid, testing, script, kinds) {
  const bound = new Map()
  const act = await result(() => kinds[script.kind](leafid, testing, script))
  if ('gives' in script) compare(act, script.gives, bound, 'the configuration')
  if (typeof act !== 'function' && !('gives' in script)) throw new Wrong(`cannot be built: ${JSON.stringify(act)}`)
  for (const [at, step] of (script.steps ?? []).entries()) {
    const got = await result(() => act(replaced(step, bound)))
    compare(got, step.gives, bound, `step ${at} (${step.do})`)
  }
}

/** The result of an action; an error becomes a refusal. Seconds to wait depend on the ms. */
async function result(act) {
  try {
    return await act()
  } catch (error) {
    if (error.name !== 'LeafidError') throw error
    return { code: error.code, until: error.until, says: error.message.replace(/ is free in \d+ s/, '').replace(/`[a-z]+[A-Z]\w*`/g, respelled) }
  }
}

function layouts({ Layout }) {
  const verbs = {
    layout: (layout) => ({ ...layout.toJSON(), lastMs: layout.lastMs, perSecond: layout.perSecond, workers: layout.workers }),
    compose: (layout, { timeMs, worker, sequence }) => layout.compose(BigInt(timeMs), worker, BigInt(sequence)),
    decompose: (layout, { id }) => layout.decompose(BigInt(id)),
    firstId: (layout, { timeMs }) => layout.firstId(BigInt(timeMs)),
    lastId: (layout, { timeMs }) => layout.lastId(BigInt(timeMs)),
  }
  return (step) => verbs[step.do](new Layout(step.layout), step)
}

function text({ toDecimal, toBase32, fromDecimal, fromBase32 }) {
  const forms = {
    decimal: ({ id }) => toDecimal(BigInt(id)),
    base32: ({ id }) => toBase32(BigInt(id)),
    parseDecimal: ({ text }) => fromDecimal(text),
    parseBase32: ({ text }) => fromBase32(text),
  }
  return (step) => forms[step.do](step)
}

function generator(_, { Generator }, { kind, config, seed }) {
  const ids = new Generator(kind, config, BigInt(seed))
  const verbs = {
    span({ at, n }) {
      const filled = ids.fillAvailable(at, n)
      return Array.isArray(filled) ? { count: filled.length, first: filled[0], last: filled.at(-1) } : filled
    },
    pollAsk: ({ at, entropy }) => ids.pollAsk(at, bytes(entropy)),
    grant({ at, sent, grant }) {
      const verdict = ids.grant(at, sent, grant)
      if (verdict.outcome === 'release') return { release: verdict.release }
      return verdict.outcome ?? verdict
    },
    failure: ({ at, request, code, retryAfterMs }) => ids.failure(at, request, code, retryAfterMs),
    resume: ({ before, highest, layout }) => ids.resume(before, highest && BigInt(highest), layout),
    stance({ at, code, until }) {
      const stance = ids.stance(at, code, until)
      return stance.code === undefined ? { wait: stance.until } : { raise: stance.code }
    },
    look: ({ at, wall }) => ids.look(at, wall),
  }
  // The other verbs take a time, or none, and a count.
  const plain = (step) => ids[step.do](step.at, step.n)
  return (step) => (verbs[step.do] ?? plain)(step)
}

function store({ memoryStore }, _, script) {
  let now = 0
  const rows = memoryStore({ id: script.store, clock: () => now, createOnUse: false })
  for (const { tag, ...fields } of script.tags ?? []) rows.createTag(tag, fields)
  for (const { namespace, ...fields } of script.namespaces ?? []) rows.createNamespace(namespace, fields)
  const verbs = {
    revoke: ({ namespace, worker }) => rows.revoke(namespace, worker),
    setWorkers: ({ namespace, workers }) => rows.setWorkers(namespace, workers),
    createTag: ({ tag, from, step, maxStep, until }) => rows.createTag(tag, { from, step, maxStep, until }),
    deleteTag: ({ tag }) => rows.deleteTag(tag),
  }
  return (step) => {
    now = Number(step.at)
    return step.do in verbs ? (verbs[step.do](step) ?? {}) : rows[step.do](step.ask)
  }
}

function rows(_, { registry }) {
  const verbs = {
    tagRow: ({ wanted, before }) => ({ row: registry.tagRow(wanted, before) }),
    namespaceRow: ({ wanted }) => ({ row: registry.namespaceRow(wanted) }),
    leaseSegment: ({ store, row, ask, at }) => registry.leaseSegment(store, row, ask, Number(at)),
    acquire: ({ store, namespace, candidates, ask, at }) => registry.acquire(store, namespace, candidates, ask, Number(at)),
    renew: ({ store, namespace, row, ask, at }) => registry.renew(store, namespace, row, ask, Number(at)),
    release: ({ store, row, ask }) => registry.release(store, row, ask),
  }
  return (step) => verbs[step.do](step)
}

function errors(_, { codes, codeFacts, codeFromHttp, sentence }) {
  const verbs = {
    codes: () => codes(),
    code: ({ code }) => codeFacts(code),
    sentence: ({ code, kind, name, most, waitMs }) => sentence(code, kind, name, most, waitMs),
    fromHttp: ({ status }) => codeFromHttp(status),
  }
  return (step) => verbs[step.do](step)
}

function publicIds(_, { publicIds }, { key, tag, prefix, alphabet }) {
  const { Scrambler, toBase58, toBase62, fromBase58, fromBase62 } = publicIds
  const ids = new Scrambler(bytes(key), tag, { prefix, alphabet })
  const verbs = {
    scramble: ({ id }) => ids.scramble(BigInt(id)),
    unscramble: ({ id }) => ids.unscramble(BigInt(id)),
    encode: ({ id }) => ids.encode(BigInt(id)),
    decode: ({ text }) => ids.decode(text),
    base58: ({ id }) => toBase58(BigInt(id)),
    base62: ({ id }) => toBase62(BigInt(id)),
    parseBase58: ({ text }) => fromBase58(text),
    parseBase62: ({ text }) => fromBase62(text),
  }
  return (step) => verbs[step.do](step)
}

function bytes(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Replaces `$names` by their values. */
function replaced(value, bound) {
  if (typeof value === 'string') return value.startsWith('$') && bound.has(value) ? bound.get(value) : value
  if (Array.isArray(value)) return value.map((item) => replaced(item, bound))
  if (typeof value !== 'object' || value === null) return value
  // `gives` binds names, so it is compared unchanged.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, name === 'gives' ? item : replaced(item, bound)]))
}

/** Compares, except that an object may omit fields, `null` is absent, and 64-bit numbers are texts. */
function compare(got, wanted, bound, where) {
  if (typeof wanted === 'string' && wanted.startsWith('$')) return bind(got, wanted, bound, where)
  if (wanted === null) {
    if (got !== null && got !== undefined) fail(got, wanted, where)
  } else if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length) fail(got, wanted, where)
    wanted.forEach((item, at) => compare(got[at], item, bound, `${where}[${at}]`))
  } else if (typeof wanted === 'object') {
    if (typeof got !== 'object' || got === null) fail(got, wanted, where)
    for (const [name, item] of Object.entries(wanted)) compare(plain(got[name], item), item, bound, `${where}.${name}`)
  } else if (plain(got, wanted) !== wanted) fail(got, wanted, where)
}

// An error's `until` is a number in JavaScript; all other 64-bit values are bigints.
function plain(value, wanted) {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && typeof wanted === 'string' && /^-?\d+$/.test(wanted)) return value.toString()
  return value
}

function bind(got, name, bound, where) {
  const value = plain(got, name)
  if (!bound.has(name)) {
    if ([...bound.values()].includes(value)) fail(got, `${name}, unlike the others`, where)
    bound.set(name, value)
  } else if (bound.get(name) !== value) fail(got, bound.get(name), where)
}

function fail(got, wanted, where) {
  const shown = (value) => JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item))
  throw new Wrong(`${where} gives ${shown(got)}, not ${shown(wanted)}`)
}
