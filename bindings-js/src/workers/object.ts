import { DurableObject } from 'cloudflare:workers'
import { storeClock } from '../sql/clock.js'
import { runNear } from '../sql/run.js'
import { query } from '../sql/text.js'
import { TEXTS, VERSION } from '../sql/texts.js'
import { otherVersion } from '../sql/unfit.js'
import { Works, type Setting, type Work } from '../sql/work.js'
import { checkDeclared, type DeclaredNamespace, type DeclaredTag } from '../stores/declared.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant } from '../stores/store.js'
import { LeafidError } from '../values/errors.js'
import { quoted, shown } from '../values/shown.js'
import { settled, ObjectTables, type ObjectStorage } from './tables.js'

/** The first name that an object served, from its storage. */
function keptName(tables: ObjectTables): string | undefined {
  const there = tables.all({ sql: "SELECT name FROM sqlite_master WHERE name = 'object_name'", params: [] })
  const rows = there.length === 0 ? [] : tables.all({ sql: 'SELECT name FROM object_name', params: [] })
  return rows[0] === undefined ? undefined : String(rows[0]['name'])
}

function keepName(tables: ObjectTables, name: string): string {
  return tables.transaction(() => {
    tables.script('CREATE TABLE IF NOT EXISTS object_name (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL) STRICT')
    tables.run({ sql: 'INSERT INTO object_name (one, name) VALUES (1, ?)', params: [name] })
    return name
  })
}

/**
 * Refuses another object's name: two objects with rows of one tag would hand out the same numbers twice. `name` is the
 * one that the object served first, else the runtime's; the runtime has none if an alarm woke the object or it was
 * reached by its id. `REQUEST_INVALID`.
 */
function checkName(name: string | undefined, asked: string): void {
  if (name === asked) return
  const message =
    name === undefined
      ? `an object without a name was asked for ${quoted(asked)}, and nobody else would find what it grants: ask through \`durableObjectStore\`, which makes objects by \`idFromName\``
      : `the object ${quoted(name)} was asked for ${quoted(asked)}: ask through \`durableObjectStore\`, which knows whose object is whose`
  throw new LeafidError('REQUEST_INVALID', message)
}

/**
 * The store of one tag or one namespace. Extend it, declare the tags and namespaces, and export it from the Worker:
 *
 *     export class Ids extends LeafidObject {
 *       static tags = { orders: { from: '1', step: 1000 } }
 *       static namespaces = { default: { layout: Layout.edge } }
 *     }
 *
 * Nothing is kept in memory: grants are stored before they are answered, so an eviction, a deploy or an alarm changes
 * nothing.
 *
 * An object that lost its storage cannot be told from a new one; a class renamed in `new_sqlite_classes`, and not in
 * `renamed_classes`, has lost that of all its objects. So a tag is created only if `from` names its first number.
 * Remove `from` once the tag exists: then a lost tag is refused, and does not begin at `from` again. A lost namespace
 * begins again in any case.
 */
export class LeafidObject extends DurableObject {
  /** The tags, each with `step`, `maxStep` and `until` as wanted, and `from` if it does not exist yet. */
  static tags: Readonly<Record<string, DeclaredTag>> = {}
  /** The namespaces, each with `layout`, `workers` and `maxWindowMs` as wanted. */
  static namespaces: Readonly<Record<string, DeclaredNamespace>> = { default: {} }

  #tables: ObjectTables | undefined
  #name: string | undefined
  #works: Works | undefined

  /** Leases numbers of a tag. */
  leaseSegment(ask: SegmentAsk): Reply<SegmentGrant> {
    return this.#reply(`tag:${ask.tag}`, (works) => works.begin('leaseSegment', ask))
  }

  /** Grants a worker number and a first window. */
  acquire(ask: AcquireAsk): Reply<WindowGrant> {
    return this.#reply(`namespace:${ask.namespace}`, (works) => works.begin('acquire', ask))
  }

  /** Moves the end of a window forward. */
  renew(ask: RenewAsk): Reply<WindowGrant> {
    return this.#reply(`namespace:${ask.namespace}`, (works) => works.begin('renew', ask))
  }

  /** Takes back the unused rest of a window. */
  release(ask: ReleaseAsk): Reply<object> {
    return this.#reply(`namespace:${ask.namespace}`, (works) => works.begin('release', ask))
  }

  #reply<T>(name: string, begin: (works: Works) => Work<T>): Reply<T> {
    return reply(() => {
      const { id, storage } = this.ctx as unknown as { id: { name?: string }; storage: ObjectStorage }
      const tables = (this.#tables ??= this.#hold(storage))
      this.#name ??= keptName(tables)
      checkName(this.#name ?? id.name, name)
      const works = (this.#works ??= this.#begin(tables))
      this.#name ??= keepName(tables, name)
      return runNear(tables, () => begin(works))
    })
  }

  #hold(storage: ObjectStorage): ObjectTables {
    try {
      void storage.sql
    } catch (cause) {
      const message = `${quoted(this.constructor.name)} has no SQLite: name it in \`new_sqlite_classes\` of wrangler.jsonc, not in \`new_classes\``
      throw new LeafidError('REQUEST_INVALID', message, { cause })
    }
    return new ObjectTables(storage)
  }

  #begin(tables: ObjectTables): Works {
    const version = settled(tables)
    if (version !== VERSION) throw isOther(version)
    const beat = Number(tables.all(query(TEXTS.meta))[0]?.['beat_ms'] ?? 0)
    const time = storeClock(beat, Date.now(), performance.now())
    const clock = () => time(Date.now(), performance.now(), () => 0)
    return new Works({ ...setting(this.constructor as typeof LeafidObject), clock })
  }
}

const isOther = (version: number) => otherVersion('the object', version, VERSION, ': deploy')

function setting({ name: className, tags, namespaces }: typeof LeafidObject): Omit<Setting, 'clock'> {
  checkDeclared({ tags, namespaces })
  const how = (kind: 'tags' | 'namespaces', name: string) => `static ${kind} = { ${JSON.stringify(name)}: {} }\` on \`class ${className}`
  return {
    declared: { tags, namespaces, needsFrom: true, how },
    hasVersion: false,
    otherVersion: isOther,
  }
}

/** A reply from an object: an error that is thrown there would arrive without its code. */
export type Reply<T> = { answer: T } | { refused: Refusal }

interface Refusal {
  code: string
  message: string
  until?: number
  retryAfter?: number
}

function reply<T>(act: () => T): Reply<T> {
  try {
    return { answer: act() }
  } catch (error) {
    if (!(error instanceof LeafidError)) throw error
    const { code, message, until, retryAfter } = error
    return { refused: { code, message, ...(until === undefined ? {} : { until }), ...(retryAfter === undefined ? {} : { retryAfter }) } }
  }
}

/** The object's answer, or throws its error. */
export function told<T>(verb: string, reply: Reply<T>): T {
  const { answer, refused } = (reply ?? {}) as { answer?: T; refused?: Refusal }
  if (answer !== undefined) return answer
  if (refused === undefined) {
    const cure = 'where a class overrides it, return what `super` returned'
    throw new LeafidError('REQUEST_INVALID', `\`${verb}\` of the object returned ${shown(reply)}, which is no reply of a LeafidObject: ${cure}`)
  }
  const { code, message, until, retryAfter } = refused
  throw new LeafidError(code, message, { until, retryAfter })
}
