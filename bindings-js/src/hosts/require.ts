type Load = (name: string) => unknown

const host = process as unknown as { getBuiltinModule?(name: string): { createRequire(from: string): Load }; version: string }
if (host.getBuiltinModule === undefined) throw new Error(`leafid needs Node 20.19 or later, this is ${host.version}`)
const { createRequire } = host.getBuiltinModule('node:module')

/**
 * Loads a package that may not be there. Bundlers do not look into it: webpack warns of a name that it cannot follow. A
 * program that was bundled to CommonJS has no `import.meta.url`, and looks from where it runs.
 */
export const load: Load = createRequire(import.meta.url || `${process.cwd()}/leafid.js`)
