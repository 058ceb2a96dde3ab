type Load = (name: string) => unknown
type Builtin = { createRequire(from: string): Load }

/**
 * Loads an optional package, unseen by bundlers: webpack warns of a name that it cannot follow. A program bundled to
 * CommonJS has no `import.meta.url`, so the working directory stands in.
 */
export const load: Load = (name) => builtin().createRequire(import.meta.url || `${process.cwd()}/leafid.js`)(name)

function builtin(): Builtin {
  const host = process as unknown as { getBuiltinModule?(name: string): Builtin; version: string }
  if (host.getBuiltinModule === undefined) throw new Error(`leafid needs Node 20.19 or later, this is ${host.version}`)
  return host.getBuiltinModule('node:module')
}
