// 100,000 numbers and 100,000 snowflakes over a real `leafid serve`: the host carries the asks.
//
//     npm install && node main.mjs     (LEAFID_DIST: where `leafid.wasm` is; LEAFID_BIN: the server)

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';

const DIST = process.env.LEAFID_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const SERVER = process.env.LEAFID_BIN ?? join(DIST, 'leafid');
const IDS = 100_000;
const AT_ONCE = 1_000;

/** Draws IDs; what is refused is asked for, and waited for as the component says. */
async function draw(leafid, generator, url) {
  const ids = [];
  while (ids.length < IDS) {
    try {
      for (const id of generator.fill(AT_ONCE)) ids.push(id);
    } catch (error) {
      const refusal = refused(error);
      const asked = await carry(leafid, generator, url);
      const stance = generator.stance(refusal);
      if (stance.tag === 'raise') throw error;
      if (!asked) await sleep(stance.val === undefined ? 10 : Number(stance.val) - now());
    }
    if (generator.wantsAsk()) await carry(leafid, generator, url);
  }
  return ids;
}

/** A refusal is thrown as it is, or within a `ComponentError`; anything else is a trap. */
function refused(error) {
  if (error instanceof Error && error.payload === undefined) throw error;
  return error.payload ?? error;
}

const now = () => Number(process.hrtime.bigint() / 1_000_000n);

/** Carries the ask that is due. Others may draw meanwhile. */
async function carry(leafid, generator, url) {
  const ask = generator.pollAsk();
  if (ask === undefined) return false;
  const { request, tag, namespace } = ask.val;
  const path = ask.tag === 'segment' ? `segments/${tag}/lease` : `workers/${namespace}/${ask.tag}`;
  const answer = await post(`${url}/v1/${path}`, ask.val);
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) {
    generator.handleGrant(grant(ask.tag, body), undefined);
  } else {
    const code = leafid.codes.parse(body.code ?? '') ?? leafid.codes.fromHttp(answer.status);
    generator.handleFailure(request, { code, retryAfterMs: body.retry_after_ms });
  }
  return true;
}

const hex = ([high, low]) => [high, low].map((half) => half.toString(16).padStart(16, '0')).join('');
const token = (text) => [BigInt(`0x${text.slice(0, 16)}`), BigInt(`0x${text.slice(16)}`)];

/** The component's names are camelCase and its 64-bit numbers bigints; the wire's are neither. */
function post(url, ask) {
  const body = {};
  for (const [name, value] of Object.entries(ask)) {
    if (value === undefined || name === 'tag' || name === 'namespace') continue;
    const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    body[field] = Array.isArray(value) ? hex(value) : typeof value === 'bigint' ? `${value}` : value;
  }
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

function grant(verb, body) {
  const range = { start: BigInt(body.start), end: BigInt(body.end) };
  const common = {
    request: token(body.request),
    store: token(body.store),
    now: BigInt(body.now_ms),
  };
  if (verb === 'segment') {
    const { tag, step, max_step: maxStep, remaining } = body;
    const val = { ...common, tag, range, step, maxStep, remaining: BigInt(remaining) };
    return { tag: 'segment', val };
  }
  const layout = {
    epochMs: BigInt(body.layout.epoch_ms),
    tickMs: body.layout.tick_ms,
    timeBits: body.layout.time_bits,
    workerBits: body.layout.worker_bits,
    sequenceBits: body.layout.sequence_bits,
  };
  const { worker, max_window_ms: maxWindowMs } = body;
  return { tag: 'window', val: { ...common, worker, ticks: range, layout, maxWindowMs } };
}

function serve(folder) {
  const store = `sqlite:${folder}/leafid.db`;
  const words = ['serve', '--create', '--no-journal', '--store', store, '--listen', '127.0.0.1:0'];
  return spawn(SERVER, words, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function address(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const url = line.match(/http:\/\/[0-9.:]+/);
    if (url) return url[0];
  }
  throw new Error('the server did not start');
}

function tell(what, ids) {
  console.log(`${what}: ${ids.length} IDs, duplicates: ${ids.length - new Set(ids).size}`);
}

const folder = await mkdtemp(join(tmpdir(), 'leafid-'));
const server = serve(folder);
const ended = new Promise((resolve) => server.once('exit', resolve));
// Also when this program ends in the middle of it: the server would go on.
process.once('exit', () => server.kill());
try {
  const url = await address(server);
  const tag = await fetch(`${url}/v1/tags/orders`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  if (!tag.ok) throw new Error(`the tag was not made: ${await tag.text()}`);
  const leafid = await load(join(DIST, 'leafid.wasm'), join(folder, 'transpiled'));
  const { Generator } = leafid.generators;
  const orders = Generator.segment({ tag: 'orders' });
  tell('javascript, numbers over leafid serve', await draw(leafid, orders, url));
  const owner = 'example/javascript';
  const config = { namespace: 'default', owner, sticky: false, strict: false };
  const snowflakes = Generator.snowflake(config);
  tell('javascript, snowflakes over leafid serve', await draw(leafid, snowflakes, url));
  const { namespace, ...release } = snowflakes.retire();
  const released = await post(`${url}/v1/workers/${namespace}/release`, release);
  if (!released.ok) throw new Error(`the window was not released: ${await released.text()}`);
} finally {
  server.kill();
  await ended;
  await rm(folder, { recursive: true });
}
