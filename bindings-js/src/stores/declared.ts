import { LeafidError, isLeafidError } from '../values/errors.js'
import { NAMESPACE_FIELDS, TAG_FIELDS } from '../values/fields.js'
import { asLayout } from '../values/layout.js'
import { checkNames, checkObject } from '../values/options.js'
import { called, subject, type Subject } from '../values/refusals.js'
import { namespaceRow, tagRow, type NamespaceRow, type NewNamespace, type NewTag, type TagRow } from './registry.js'

/** A declared tag. `from` is its first number, used when it is created. */
export type DeclaredTag = Pick<NewTag, 'from' | 'step' | 'maxStep' | 'until'>

/** A declared namespace, by default in the layout `leaf`. `layout` and `maxWindowMs` cannot change after its first window. */
export type DeclaredNamespace = Partial<Omit<NewNamespace, 'namespace'>>

/** Tags and namespaces declared in code, by name. */
export interface Declarations {
  tags?: Readonly<Record<string, DeclaredTag>>
  namespaces?: Readonly<Record<string, DeclaredNamespace>>
}

export type FullRow = Required<NamespaceRow>

/** The declarations in `create`, checked by `checkDeclared`; `undefined` if nothing is to be created. */
export function checkCreate(create: unknown = false): Declarations | undefined {
  if (create === false) return undefined
  const declared = create === true ? {} : create
  checkObject(declared, { names: [], called: '`create` must be true, false or' })
  checkDeclared(declared)
  return declared
}

/** Refuses invalid declarations at once: `REQUEST_INVALID` for other names and types, and the codes of new rows. */
export function checkDeclared(declared: object): asserts declared is Declarations {
  checkNames(declared, ['tags', 'namespaces'], 'field')
  const { tags = {}, namespaces = {} } = declared as Declarations
  for (const [kind, all, check] of [['tag', tags, newTag], ['namespace', namespaces, newNamespace]] as const) {
    checkObject(all, { names: [], called: `\`${kind}s\` must be` })
    for (const [name, spec] of Object.entries(all)) named(subject(kind, name), () => check(name, spec))
  }
}

/** The row of a new tag, or of one that is created again over its tombstone. As `tagRow`. */
export function newTag(tag: string, spec: DeclaredTag, before?: TagRow): TagRow {
  checkSpec(spec, TAG_FIELDS)
  return tagRow({ ...spec, tag }, before)
}

/** The row of a new namespace. As `namespaceRow`. */
export function newNamespace(namespace: string, spec: DeclaredNamespace): FullRow {
  checkSpec(spec, NAMESPACE_FIELDS)
  return namespaceRow({ ...spec, namespace, layout: asLayout(spec.layout ?? 'leaf').toJSON() }) as FullRow
}

function checkSpec(spec: object, names: readonly string[]): void {
  checkObject(spec, { names: [], called: 'its declaration must be' })
  checkNames(spec, names, 'field')
}

/** Adds the declared name to a refusal. */
function named(about: Subject, act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!isLeafidError(error)) throw error
    throw new LeafidError(error.code, `${called(about)}: ${error.message}`, { cause: error })
  }
}
