// The tests' Worker: a request names an action; errors are returned.
import { Segment, Snowflake, decode } from 'leafid'
import { leaseSegment, tagRow } from 'leafid/registry'
import { conform } from 'leafid/testing'
import { LeafidObject, d1Store, durableObjectStore } from 'leafid/workers'
import { DurableObject, env } from 'cloudflare:workers'

const tags = DECLARED_TAGS
const namespaces = DECLARED_NAMESPACES
const MISSPELT = { default: { layuot: 'edge' } }

export class Ids extends LeafidObject {
  static tags = tags
  static namespaces = namespaces

  evict() {
    this.ctx.abort('evicted')
  }
  wake() {
    return this.ctx.storage.setAlarm(Date.now())
  }
  async alarm() {
    await this.ctx.storage.put('alarms', 1 + ((await this.ctx.storage.get('alarms')) ?? 0))
  }
  async alarms() {
    return (await this.ctx.storage.get('alarms')) ?? 0
  }
  async ahead(ms) {
    this.ctx.storage.sql.exec('UPDATE meta SET beat_ms = ?', ms)
    await this.ctx.storage.sync()
    this.ctx.abort('ahead')
  }
  async wipe() {
    await this.ctx.storage.deleteAll()
    this.ctx.abort('wiped')
  }
}

/** A custom store, which answers with grants, and refuses by a code alone. */
export class Other extends DurableObject {
  async leaseSegment(ask) {
    const known = (await this.ctx.storage.get('row')) ?? tagRow({ step: 10 })
    if (ask.tag !== 'orders') throw Object.assign(new Error('there is no such tag'), { code: 'TAG_UNKNOWN' })
    const { row, grant, refused } = leaseSegment('5a'.repeat(16), known, ask, Date.now())
    await this.ctx.storage.put('row', row)
    if (refused !== undefined) throw refused
    return grant
  }
}

export class Plain extends DurableObject {}

export class Misspelt extends LeafidObject {
  static tags = { orders: { from: '1' } }
  static namespaces = MISSPELT
}

const stores = {
  object: ({ binding = 'IDS' }) => durableObjectStore(binding),
  eu: () => durableObjectStore('IDS', { jurisdiction: 'eu' }),
  d1: ({ binding = 'DB' }) => d1Store(binding, { tags, namespaces }),
  misspelt: () => d1Store('DB', { namespaces: MISSPELT }),
  file: () => 'sqlite:ids.db',
  own: () => () => env.OTHER.get(env.OTHER.idFromName('numbers')),
}

const holders = new Map()
const timed = Object.fromEntries(['object', 'd1'].map((store) => [store, stores[store]({})]))

function holder({ store, kind = 'segment', tag = 'orders', namespace = 'default', holder = '', binding, timeout }) {
  const name = [store, kind, tag, namespace, holder, binding, timeout].join()
  if (!holders.has(name)) {
    const options = { store: stores[store]({ binding }), ...(timeout === undefined ? {} : { timeout: Number(timeout) }) }
    holders.set(name, kind === 'segment' ? new Segment(tag, options) : new Snowflake(namespace, options))
  }
  return holders.get(name)
}

const object = (tag) => env.IDS.get(env.IDS.idFromName(`tag:${tag}`))

const ACTS = {
  async next(what) {
    const id = await holder(what).next()
    return { id, ...(what.kind === 'snowflake' ? { worker: decode(id, what.namespace === undefined ? 'leaf' : 'edge').worker } : {}) }
  },
  conform: ({ store }) => conform(stores[store]({}), { again: () => stores[store]({}) }),
  hold: ({ store, namespace }) =>
    stores[store]({}).acquire({ namespace, owner: 'test', request: '01'.repeat(16), sticky: false, strict: false, lengthMs: 60_000 }),
  async time({ store }) {
    const { nowMs } = await timed[store].acquire({ namespace: 'default', owner: 'test', request: '01'.repeat(16), sticky: false, strict: false })
    return { nowMs }
  },
  ahead: ({ ms }) => env.IDS.get(env.IDS.idFromName('namespace:default')).ahead(Number(ms)).then(() => ({}), () => ({})),
  evict: ({ tag }) => object(tag).evict().then(() => ({}), () => ({})),
  wake: ({ tag }) => object(tag).wake().then(() => ({})),
  alarms: async ({ tag }) => ({ alarms: await object(tag).alarms() }),
  wipe: ({ tag }) => object(tag).wipe().then(() => ({}), () => ({})),
  async stray({ by, tag, asked }) {
    const { IDS } = env
    const named = () => IDS.idFromName(`tag:${tag}`)
    const id = by === 'unique' ? IDS.newUniqueId() : by === 'id' ? IDS.idFromString(named().toString()) : named()
    const { refused, answer } = await IDS.get(id).leaseSegment({ tag: asked, request: '01'.repeat(16) })
    return refused ?? answer
  },
  /** Asks D1 as one holder does, and counts the batches. */
  async batches({ verb, request }) {
    let batches = 0
    const batch = (all) => {
      batches += 1
      return env.DB.batch(all)
    }
    const store = d1Store(() => ({ prepare: (text) => env.DB.prepare(text), batch }), { tags, namespaces })
    const about = verb === 'acquire' ? { namespace: 'default', owner: 'test', sticky: false, strict: false, lengthMs: 60_000 } : { tag: 'orders' }
    const { worker } = await store[verb]({ ...about, request: request.repeat(16) })
    return { batches, worker }
  },
  async places() {
    const seen = {}
    const namespace = {
      jurisdiction(name) {
        seen.jurisdiction = name
        return namespace
      },
      idFromName(name) {
        seen.name = name
        return name
      },
      get(_, options) {
        Object.assign(seen, options)
        return object('orders')
      },
    }
    const store = durableObjectStore(() => namespace, { jurisdiction: 'eu', locationHint: 'weur' })
    await new Segment('orders', { store }).next()
    return seen
  },
}

export default {
  async fetch(request) {
    const { act, ...what } = Object.fromEntries(new URL(request.url).searchParams)
    const body = await ACTS[act](what).catch(({ code, message, cause }) => ({ code: code ?? 'THROWN', message, cause: cause?.code }))
    return new Response(JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? value.toString() : value)))
  },
}
