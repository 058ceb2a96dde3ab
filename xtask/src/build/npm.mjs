// Stages the main npm package; runs in the checkout's root: `VERSION STAGE WASM-FOLDER NATIVE-TYPES [PLATFORM …]`.
// Given platforms replace the native engines in its manifest. Compiles the TypeScript, and writes the manifest's
// entries, the wasm, and every module again as CommonJS.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { buildSync } from 'esbuild'

const [version, stage, wasm, nativeTypes, ...platforms] = process.argv.slice(2)
const SOURCES = 'bindings-js/src'
const read = (file) => readFileSync(file, 'utf8')
const write = (file, text) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const copy = (from, to) => write(to, readFileSync(from))

// The conformance cases: every language runs the same data.
write(join(SOURCES, 'conform/data.ts'), `export const DATA: unknown = ${read('client/conform.json')}`)

// The compiler compares napi's types with the interfaces in `engines/`.
copy(nativeTypes, join(SOURCES, 'native/leafid.d.ts'))
const names = readdirSync(wasm).filter((file) => file.endsWith('.wasm')).map((file) => basename(file, '.wasm'))
for (const name of names) if (name !== 'stores') write(join(SOURCES, `wasm/${name}-inlined.d.ts`), 'export declare const WASM: string\n')
rmSync(stage, { recursive: true, force: true })
const options = ['--pretty', 'false', '--typeRoots', 'node_modules/@types', '--project', 'bindings-js', '--outDir', stage]
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { stdio: 'inherit' })
for (const name of names) {
  // Node reads no file: what it loads is in the code.
  if (!name.endsWith('-node')) copy(join(wasm, `${name}.wasm`), join(stage, `wasm/${name}.wasm`))
  // A Worker compiles nothing while it runs.
  if (name === 'stores') continue
  copy(join(SOURCES, `wasm/${name}-inlined.d.ts`), join(stage, `wasm/${name}-inlined.d.ts`))
  const text = readFileSync(join(wasm, `${name}.wasm`)).toString('base64')
  write(join(stage, `wasm/${name}-inlined.js`), `export const WASM =\n  '${text}'\n`)
}
const stamped = (file) => read(file).replaceAll('0.0.0', version)
write(join(stage, 'engines/version.js'), stamped(join(stage, 'engines/version.js')))
write(join(stage, 'package.json'), stamped('bindings-js/package.json'))
copy('bindings-js/README.md', join(stage, 'README.md'))
for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) copy(licence, join(stage, licence))

// The start modules of each condition: for most sub-paths; for those that need the registry, a file to load in some
// hosts; for public IDs, which need neither engine nor host; for stores over SQL.
const STARTS = {
  workerd: [['workerd'], ['workerd', 'registry-workerd'], ['public-workerd'], ['workerd', 'stores-workerd']],
  deno: [['runtime'], ['runtime'], ['public-inlined']],
  bun: [['runtime'], ['runtime'], ['public-inlined']],
  node: [['node'], ['node'], ['public-inlined']],
  browser: [['web'], ['web', 'registry-web'], ['public-web']],
  default: [['web'], ['web', 'registry-web'], ['public-web']],
}
const KINDS = { './registry': 1, './testing': 1, './public': 2, './workers': 3 }
const ALWAYS = { './inline': ['inline'], './node': ['node'] }
const named = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(named))
const manifest = JSON.parse(read(join(stage, 'package.json')))
for (const [path, conditions] of Object.entries(manifest.exports).filter(([, value]) => typeof value === 'object')) {
  const module = ['.', './inline'].includes(path) ? 'index' : path.slice(2)
  for (const [condition, value] of Object.entries(conditions)) {
    for (const file of named(value).filter((file) => file.startsWith('./entries/'))) {
      const starts = ALWAYS[path] ?? STARTS[condition][KINDS[path] ?? 0]
      const lines = starts.map((start) => `import '../start/${start}.js'\n`).join('')
      write(join(stage, file), `${lines}export * from '../${module}.js'\n`)
      write(join(stage, file.replace(/js$/, 'd.ts')), `export * from '../${module}.js'\n`)
    }
  }
}

// Without modules of other hosts: they await while loading, or import what only their host has.
const NOT = /^(workers|cjs|entries)\b|^start\/(web|runtime|workerd|(registry|public|stores)-(web|workerd))\.|^hosts\/workerd\./
const entries = named(manifest.exports).filter((file) => file.startsWith('./cjs/entries/')).map((file) => file.slice(6))
const code = readdirSync(stage, { recursive: true }).filter((file) => /[.](js|d[.]ts)$/.test(file) && !NOT.test(file))
const kept = [...code, ...entries, ...entries.map((file) => file.replace(/js$/, 'd.ts'))]
buildSync({
  entryPoints: kept.filter((file) => file.endsWith('.js')),
  absWorkingDir: stage,
  outbase: '.',
  outdir: 'cjs',
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  // CommonJS has `__filename` instead of an address.
  define: { 'import.meta.url': '__filename' },
  logLevel: 'warning',
})
for (const file of kept.filter((file) => file.endsWith('.d.ts'))) copy(join(stage, file), join(stage, 'cjs', file))
write(join(stage, 'cjs/package.json'), '{ "type": "commonjs" }\n')

if (platforms.length > 0) {
  manifest.optionalDependencies = Object.fromEntries(platforms.map((platform) => [`leafid-${platform}`, version]))
  write(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
// npm would pack a manifest with missing files.
const missing = named(manifest.exports).filter((file) => !existsSync(join(stage, file)))
if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}`)
