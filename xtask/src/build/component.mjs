// Makes a component of a core module: `NAME VERSION MODULE FOLDER`. Published ones also become an artifact of the OCI
// image layout in that folder, as `wkg oci push` would push it.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { componentNew, componentWit } from '@bytecodealliance/jco-transpile/wasm-tools'

const [name, version, core, folder] = process.argv.slice(2)
const ABOUT = {
  leafid: "Unique 64-bit IDs: generators, layouts, text forms, a store's decisions",
  'leafid-pure': "Unique 64-bit IDs: layouts, text forms, a store's decisions",
  'leafid-public': 'IDs as the outside may see them: scrambled, in base58 or base62',
}
const whole = await componentNew(readFileSync(core), [])
// Drops custom sections (kind 0): names and producers, which are not needed. Lengths are LEB128.
const kept = [whole.subarray(0, 8)]
for (let begin = 8; begin < whole.length;) {
  let end = begin + 1
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = whole[end++]
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) break
  }
  end += length
  if (whole[begin] !== 0) kept.push(whole.subarray(begin, end))
  begin = end
}
const component = Buffer.concat(kept)
writeFileSync(join(folder, `${name}.wasm`), component)
if (ABOUT[name]) await publish(join(folder, 'oci'))

async function publish(oci) {
  mkdirSync(join(oci, 'blobs/sha256'), { recursive: true })
  const blob = (mediaType, content) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
    const digest = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(oci, 'blobs/sha256', digest), bytes)
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length }
  }
  // The WIT text begins with the component's world.
  const wit = await componentWit(component)
  const names = (word) => [...wit.matchAll(new RegExp(`^\\s+${word} (.*);$`, 'gm'))].map(([, name]) => name)
  const layer = blob('application/wasm', component)
  const described = blob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: blob('application/vnd.wasm.config.v0+json', {
      // A fixed date, so that the same sources make the same artifact.
      created: '1970-01-01T00:00:00Z',
      architecture: 'wasm',
      os: 'wasip2',
      layerDigests: [layer.digest],
      component: { imports: names('import'), exports: names('export') },
    }),
    layers: [layer],
    annotations: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.description': ABOUT[name],
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'MIT OR Apache-2.0',
      'org.opencontainers.image.source': 'https://github.com/leafid/leafid',
    },
  })
  const index = join(oci, 'index.json')
  const before = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).manifests : []
  const others = before.filter((one) => one.annotations['org.opencontainers.image.ref.name'] !== name)
  const manifests = [...others, { ...described, annotations: { 'org.opencontainers.image.ref.name': name } }]
  writeFileSync(index, JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests }))
  writeFileSync(join(oci, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
}
