// `leafid.wasm` as a JavaScript module, by jco-transpile; what a build step would do once.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transpileBytes } from '@bytecodealliance/jco-transpile';

const PACKAGE = 'leafid:generator';

/** What the component imports: a clock, randomness, and a store that this host does not fill in. */
export const imports = {
  'wasi:clocks/monotonic-clock': { now: () => process.hrtime.bigint() },
  'wasi:random/random': { getRandomU64: () => crypto.getRandomValues(new BigUint64Array(1))[0] },
  [`${PACKAGE}/store`]: Object.fromEntries(
    ['leaseSegment', 'acquire', 'renew', 'giveBack'].map((verb) => [
      verb,
      () => {
        throw new Error(`${verb}: this host carries asks itself, by pollAsk`);
      },
    ]),
  ),
};

/** Transpiles a component into a folder and gives back its exports. */
export async function load(component, folder) {
  const bytes = await readFile(component);
  const { files } = await transpileBytes(bytes, { name: 'leafid', instantiation: 'async' });
  // What comes out is ESM, which a file's name does not say.
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const { instantiate } = await import(pathToFileURL(join(folder, 'leafid.js')));
  const core = async (name) => WebAssembly.compile(await readFile(join(folder, name)));
  return instantiate(core, imports);
}
