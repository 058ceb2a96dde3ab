import { LeafidError } from '../values/errors.js'
import { checkOptions } from '../values/options.js'
import { quoted, shown } from '../values/shown.js'
import { storeOf, type Store } from '../stores/store.js'
import { bound, checkBinding, type Binding, type Expected } from './binding.js'
import { told, type Reply } from './object.js'

/** Where the objects live. */
export interface DurableObjectStoreOptions {
  /** Where data must stay: `eu`, `fedramp`. Never change it: another jurisdiction has its own objects and rows. */
  jurisdiction?: string
  /** Where to create an object: `weur`, `enam`, … It has no effect afterwards. */
  locationHint?: string
}

/** The used part of a Durable Object namespace. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: never, options?: never): unknown
  jurisdiction?(name: never): ObjectNamespace
}

type Stub = Record<string, (ask: object) => Promise<Reply<never>>>

const OBJECT: Expected = {
  what: 'a Durable Object',
  method: 'idFromName',
  lines: (name) =>
    [
      `  "durable_objects": { "bindings": [{ "name": "${name}", "class_name": "Ids" }] },`,
      '  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Ids"] }],',
      "and export from the Worker's main file: class Ids extends LeafidObject",
    ].join('\n'),
}

/**
 * A store in Durable Objects, one per tag and one per namespace, to spread the load. `binding` is the name of the
 * binding, looked up with each ask; its class extends `LeafidObject`. `REQUEST_INVALID` for unknown options; when
 * asked, with the lines of wrangler.jsonc if the binding is missing.
 */
export function durableObjectStore(binding: Binding<ObjectNamespace>, options: DurableObjectStoreOptions = {}): Required<Store> {
  checkBinding(binding, '`durableObjectStore`')
  checkOptions(options, { names: ['jurisdiction', 'locationHint'] })
  return storeOf(async (verb, body: { tag: string; namespace: string }) => {
    const { jurisdiction, locationHint } = options
    const all = bound(binding, OBJECT)
    const objects = jurisdiction === undefined ? all : inside(all, jurisdiction)
    const id = objects.idFromName(verb === 'leaseSegment' ? `tag:${body.tag}` : `namespace:${body.namespace}`) as never
    const stub = (locationHint === undefined ? objects.get(id) : objects.get(id, { locationHint } as never)) as Stub
    // The signal stays here: it cannot be cloned.
    return told(verb, await called(binding, stub, verb, body))
  })
}

/** The objects of a jurisdiction. An unknown one, or a runtime without any, is a permanent error. */
function inside(all: ObjectNamespace, jurisdiction: string): ObjectNamespace {
  try {
    return all.jurisdiction!(jurisdiction as never)
  } catch (cause) {
    const why = (cause as Error | null)?.message
    const message = `the jurisdiction ${shown(jurisdiction)} cannot be had here (${why}): \`wrangler dev\` has none, so pass it only where the Worker is deployed`
    throw new LeafidError('REQUEST_INVALID', message, { cause })
  }
}

async function called(binding: Binding<ObjectNamespace>, stub: Stub, verb: string, body: object): Promise<Reply<never>> {
  try {
    return await stub[verb]!(body)
  } catch (cause) {
    const { message = '', overloaded } = cause as { message?: string; overloaded?: boolean }
    const name = typeof binding === 'string' ? quoted(binding) : 'the binding'
    if (overloaded === true) throw new LeafidError('OVERLOADED', `the object of ${name} has more to do than it can: ask again`, { cause })
    if (/does not implement|not a function/.test(message)) {
      throw new LeafidError('REQUEST_INVALID', `the class of ${name} has no method \`${verb}\`: let it extend LeafidObject`, { cause })
    }
    throw cause
  }
}
