import { DurableObject } from 'cloudflare:workers'
import { settled } from '../sql/make.js'
import { runNear } from '../sql/run.js'
import { TEXTS, VERSION } from '../sql/texts.js'
import { AnchoredTime } from '../sql/time.js'
import { Works, type Setting, type Work } from '../sql/work.js'
import { query } from '../sql/text.js'
import { checkDeclared, type DeclaredNamespace, type DeclaredTag } from '../stores/declared.js'
import { LeafidError } from '../values/errors.js'
import { called, subject } from '../values/refusals.js'
import { quoted } from '../values/shown.js'
import type { AcquireAsk, ReleaseAsk, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant } from '../stores/store.js'
import { ObjectName } from './name.js'
import { reply, type Reply } from './reply.js'
import { ObjectTables, type ObjectStorage } from './tables.js'

/**
 * The store of one tag or one namespace. Let a class extend it, declare there what there is, and export it from the Worker:
 *
 *     export class Ids extends LeafidObject {
 *       static tags = { orders: { from: '1', step: 1000 } }
 *       static namespaces = { default: { layout: Layout.edge } }
 *     }
 *
 * It keeps nothing in memory: what it grants is in its storage before it answers, so an eviction, a deploy or an alarm
 * changes nothing.
 *
 * An object that lost its storage is not told from a new one. A class that is renamed in `new_sqlite_classes`, and not in
 * `renamed_classes`, has lost that of all its objects. So a tag is made only where `from` names its first number, which may be
 * taken out of the code once the tag is made: a lost one is then refused, and does not begin at `from` again. A
 * lost namespace begins again in any case.
 */
export class LeafidObject extends DurableObject {
  /** The tags that there are, each with `step`, `max_step` and `until` as far as wanted; `from` for each that is not there yet. */
  static tags: Readonly<Record<string, DeclaredTag>> = {}
  /** The namespaces that there are, each with `layout`, `workers` and `max_window_ms` as far as wanted. */
  static namespaces: Readonly<Record<string, DeclaredNamespace>> = { default: {} }

  #held: { tables: ObjectTables; own: ObjectName } | undefined
  #works: Works | undefined

  /** Leases numbers of a tag. */
  lease_segment(ask: SegmentAsk): Reply<SegmentGrant> {
    return this.#reply(`tag:${ask.tag}`, (works) => works.lease_segment(ask))
  }

  /** Gives a worker number and a first window. */
  acquire(ask: AcquireAsk): Reply<WindowGrant> {
    return this.#reply(`namespace:${ask.namespace}`, (works) => works.acquire(ask))
  }

  /** Moves the end of a window forward. */
  renew(ask: RenewAsk): Reply<WindowGrant> {
    return this.#reply(`namespace:${ask.namespace}`, (works) => works.renew(ask))
  }

  /** Takes back the rest of a window. */
  release(ask: ReleaseAsk): Reply<object> {
    return this.#reply(`namespace:${ask.namespace}`, (works) => works.release(ask))
  }

  #reply<T>(name: string, begin: (works: Works) => Work<T>): Reply<T> {
    return reply(() => {
      const { id, storage } = this.ctx as unknown as { id: { name?: string }; storage: ObjectStorage }
      const { tables, own } = (this.#held ??= this.#hold(storage))
      own.check(id.name, name)
      const works = (this.#works ??= this.#begin(tables))
      own.keep(name)
      return runNear(tables, () => begin(works))
    })
  }

  #hold(storage: ObjectStorage): { tables: ObjectTables; own: ObjectName } {
    try {
      void storage.sql
    } catch (cause) {
      const message = `${quoted(this.constructor.name)} has no SQLite: name it in \`new_sqlite_classes\` of wrangler.jsonc, not in \`new_classes\``
      throw new LeafidError('REQUEST_INVALID', message, { cause })
    }
    const tables = new ObjectTables(storage)
    return { tables, own: new ObjectName(tables) }
  }

  #begin(tables: ObjectTables): Works {
    const version = settled(tables, (text) => tables.script(text))
    if (version !== VERSION) throw newer(version)
    const beat = Number(tables.all(query(TEXTS.meta))[0]?.['beat_ms'] ?? 0)
    const time = new AnchoredTime(beat, performance.now())
    const clock = () => time.read(Date.now(), performance.now())
    return new Works({ ...setting(this.constructor as typeof LeafidObject), clock })
  }
}

function setting({ name: className, tags, namespaces }: typeof LeafidObject): Omit<Setting, 'clock'> {
  checkDeclared({ tags, namespaces })
  const how = (kind: 'tags' | 'namespaces', name: string) => `static ${kind} = { ${JSON.stringify(name)}: {} }\` on \`class ${className}`
  return {
    declared: { tags, namespaces, needsFrom: true, how },
    hasVersion: false,
    unknown: (kind, name) => new LeafidError(kind === 'tag' ? 'TAG_UNKNOWN' : 'NAMESPACE_UNKNOWN', `${called(subject(kind, name))} has no row`),
    otherVersion: newer,
  }
}

function newer(version: number): LeafidError {
  const message = `the object has tables of version ${version}, this program knows ${VERSION}: deploy the version of leafid that wrote them, or a later one`
  return new LeafidError('SCHEMA_MISMATCH', message)
}
