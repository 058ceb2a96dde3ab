// Stages the main npm package; runs in the checkout's root: `VERSION STAGE WASM-FOLDER NATIVE-TYPES [PLATFORM …]`.
// Given platforms replace the native engines in its manifest. Compiles the TypeScript, bundles the entries that the
// manifest names for each kind of host, those of Node again as CommonJS, and their declarations.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { build, transformSync } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

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
rmSync(stage, { recursive: true, force: true })
const declared = `${stage}-declared`
rmSync(declared, { recursive: true, force: true })
const options = ['--pretty', 'false', '--typeRoots', 'node_modules/@types', '--project', 'bindings-js', '--emitDeclarationOnly', '--outDir', declared]
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...options], { stdio: 'inherit' })

const manifest = JSON.parse(read('bindings-js/package.json').replaceAll('0.0.0', version))
// All but `memory`. Not in the sources' manifest: there it would be about the sources.
manifest.sideEffects = ['leafid', 'registry', 'public', 'testing', 'workers', 'node', 'shared-*', 'engine.wasm'].map((name) => `./*/${name}.js`)
if (platforms.length > 0) manifest.optionalDependencies = Object.fromEntries(platforms.map((platform) => [`leafid-${platform}`, version]))
write(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
for (const file of ['README.md', 'leafid.cjs']) copy(join('bindings-js', file), join(stage, file))
for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) copy(licence, join(stage, licence))

const named = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(named))
const files = [...new Set(named(manifest.exports))]
const source = (entry) => (entry === 'leafid' ? 'index' : entry)

/** The wasm files of Node, which keeps state files and has servers beside its stores; the others' have their names. */
const NODE = { engine: 'engine-node', registry: 'stores-node', stores: 'stores-node' }

const bytesOf = (name) => readFileSync(join(wasm, `${name}.wasm`))

/** A wasm file as text: see `engines/modules.ts`. */
function text(name) {
  const file = [...bytesOf(name)]
  const digits = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter((char) => !'"\'<\\`'.includes(char))
  const counts = new Array(256).fill(0)
  for (const byte of file) counts[byte] += 1
  const all = [...counts.keys()]
  const common = all.toSorted((one, other) => counts[other] - counts[one]).slice(0, 87).sort((one, other) => one - other)
  const order = [...new Set([...common, ...all])]
  const places = [...common, ...file.map((byte) => order.indexOf(byte))]
  return places.map((place) => (place < 87 ? '' : digits[86 + Math.floor(place / 87)]) + digits[place % 87]).join('')
}

/** Bundles the entries for one kind of host; what several of them contain is a file that they share. */
async function bundle(host, entries) {
  const folder = join(stage, host)
  const plugin = {
    name: 'leafid',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'entry' }))
      onLoad({ filter: /./, namespace: 'entry' }, ({ path: entry }) => {
        if (entry === 'inner') return { contents: INNER, resolveDir: SOURCES }
        const begins = /^(decode|memory|public)$/.test(entry) ? '' : `import './start/${host}.js'\n`
        return { contents: `${begins}export * from './${source(entry)}.js'`, resolveDir: SOURCES }
      })
      const ours = (path) => ({ path: resolve(SOURCES, path) })
      if (host === 'node') {
        onResolve({ filter: /^[.]\/memory[.]js$/ }, () => ours('stores/memory.ts'))
        onResolve({ filter: /^cloudflare:workers$/ }, () => ours('hosts/outside.ts'))
        onResolve({ filter: /^[.]\/modules[.]js$/ }, () => ours('engines/modules-node.ts'))
      } else {
        // A file of its own, which a bundler leaves out where nothing uses it.
        onResolve({ filter: /^[.]\/memory[.]js$/ }, ({ importer }) => (importer === 'memory' ? undefined : { path: './memory.js', external: true }))
      }
      onResolve({ filter: /[.]wasm$/ }, ({ path }) => {
        const name = (host === 'node' && NODE[basename(path, '.wasm')]) || basename(path, '.wasm')
        if (host === 'node') return { path: name, namespace: 'wasm' }
        // A Worker compiles nothing while it runs: its runtime compiles the file.
        if (host === 'workerd') copy(join(wasm, `${name}.wasm`), join(folder, `${name}.wasm`))
        else write(join(folder, `${name}.wasm.js`), `export default '${text(name)}'\n`)
        return { path: host === 'workerd' ? `./${name}.wasm` : `./${name}.wasm.js`, external: true }
      })
      onLoad({ filter: /./, namespace: 'wasm' }, ({ path }) => ({ contents: `export default '${bytesOf(path).toString('base64')}'` }))
    },
  }
  await build({
    entryPoints: entries.map((entry) => ({ in: `entry:${entry}`, out: entry })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: host === 'node' ? 'node' : 'neutral',
    target: 'es2022',
    chunkNames: 'shared-[hash]',
    external: ['cloudflare:workers'],
    define: { LEAFID_VERSION: JSON.stringify(version) },
    plugins: [plugin],
    logLevel: 'warning',
  })
}

/** Parts that tests use beside the package, which does not contain this file. */
const INNER = `
import './start/node.js'
export { judge } from './databases/link.js'
export { engineBuilds } from './engines/engine.js'
export { Connection } from './files/driver.js'
export { isMounted } from './files/place.js'
export { runNear } from './sql/run.js'
export { Works } from './sql/work.js'
`
const entriesOf = (folder, ending = '.js') => files.flatMap((file) => (file.startsWith(`./${folder}/`) && file.endsWith(ending) ? [basename(file, ending)] : []))
await bundle('node', [...entriesOf('node'), 'inner'])
for (const host of ['web', 'workerd']) await bundle(host, [...entriesOf(host), 'memory'])
// First in what a bundler makes of it: a text in the middle of a script is a kilobyte larger after gzip.
write(join(stage, 'web/leafid.js'), `import './engine.wasm.js'\n${read(join(stage, 'web/leafid.js'))}`)
copy(join(stage, 'node/inner.js'), `${stage}-inner.js`)
rmSync(join(stage, 'node/inner.js'))

// For loaders without ES modules, such as Jest's. CommonJS has `__filename` instead of an address.
const common = { format: 'cjs', target: 'node20', define: { 'import.meta.url': '__filename' } }
for (const file of readdirSync(join(stage, 'node'))) write(join(stage, 'cjs', file), transformSync(read(join(stage, 'node', file)), common).code)
write(join(stage, 'cjs/package.json'), '{ "type": "commonjs" }\n')

// A reference counts at the top of a file alone.
const first = { name: 'references first', renderChunk: (code) => [...(code.match(/^\/\/\/ <reference .*$/gm) ?? []), code.replace(/^\/\/\/ <reference .*\n/gm, '')].join('\n') }
const types = await rollup({
  input: Object.fromEntries(entriesOf('types', '.d.ts').map((entry) => [entry, join(declared, `${source(entry)}.d.ts`)])),
  external: /^cloudflare:/,
  plugins: [dts(), first],
})
for (const folder of ['types', 'cjs']) await types.write({ dir: join(stage, folder), entryFileNames: '[name].d.ts', chunkFileNames: 'shared-[hash].d.ts' })

// npm would pack a manifest with missing files.
const missing = files.filter((file) => !existsSync(join(stage, file)))
if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}`)
