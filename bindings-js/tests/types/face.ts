// Correct programs compile under strict settings, and wrong ones do not.
import { LeafidError, Layout, Segment, Snowflake, decode, fromBase32, httpStore, memoryStore, toBase32 } from 'leafid'
import type { AcquireAsk, ErrorCode, Id, IdText, MemoryStore, SegmentAsk, SegmentGrant, Stats, Store, WindowGrant } from 'leafid'
import { acquire, leaseSegment, namespaceRow, release, renew, tagRow, type Acquired, type Candidates, type NamespaceRow, type WorkerRow } from 'leafid/registry'
import { Generator, isolated, type Isolated } from 'leafid/testing'

export async function draws(signal: AbortSignal): Promise<void> {
  const onError = (error: LeafidError) => console.error(error.code)
  const orders = new Segment('orders', { store: 'http://127.0.0.1:8750', step: 100, maxStep: 1_000, timeout: 5_000, onError })
  const array = new BigUint64Array(8)
  const filled: Promise<void> = orders.fill(array)
  await filled
  orders.fillSync(array)
  await orders.ready(3)
  const waited = [await orders.next({ signal }), await orders.nextString(), await orders.nextNumber(), await orders.take(10, { signal })] satisfies [bigint, string, number, bigint[]]
  const now = [orders.nextSync(), orders.nextStringSync(), orders.takeSync(2), orders.fillAvailable(array)] satisfies [bigint, string, bigint[], number]
  const { ids, inHand, offsetMs, lastCode }: Stats = orders.stats()
  const told = [ids + inHand + offsetMs, lastCode] satisfies [number, string | undefined]
  orders.forget()
  orders.check() satisfies void
  await orders.close({ release: true })
  console.log(waited, now, told)
}

export function tests(): MemoryStore {
  const { store, restore }: Isolated = isolated()
  restore() satisfies void
  return store
}

export async function disposes(): Promise<void> {
  await using ids = new Snowflake('default', { store: memoryStore(), layout: 'edge', lengthMs: 10_000, maxAheadMs: 0, owner: 'api-0', sticky: true, strict: true, state: 'ids.state' })
  const { time, worker, sequence } = decode(await ids.next(), { layout: Layout.edge })
  console.log([time, worker, sequence] satisfies [Date, number, bigint], decode(97583759569410, 'js53'), decode('5', Layout.js53), toBase32(fromBase32('68EKWV2E7SRWE')))
}

export async function brands(): Promise<void> {
  const orders = new Segment<'order'>('orders')
  const events = new Snowflake<'event'>()
  const order: Id<'order'> = await orders.next()
  const many: Id<'order'>[] = [orders.nextSync(), ...(await orders.take(2)), ...orders.takeSync(2)]
  const text: IdText<'order'> = await orders.nextString()
  const plain: [bigint, string, bigint] = [order, text, order + 1n]
  // @ts-expect-error an order is no event
  const event: Id<'event'> = order
  // @ts-expect-error nor the other way round
  const wrong: Id<'order'> = await events.next()
  // @ts-expect-error any number is no order
  const any: Id<'order'> = 5n
  // @ts-expect-error text of another kind
  const other: IdText<'event'> = text
  for await (const id of orders) if ((id satisfies Id<'order'>) > 5n) break
  let counter = await new Segment('orders').next()
  counter = 5n
  console.log(many, plain, event, wrong, any, other, counter, JSON.stringify({ text }))
}

export const own: Store = {
  async leaseSegment(ask: SegmentAsk): Promise<SegmentGrant> {
    const { grant, refused } = leaseSegment('5a'.repeat(16), { maxId: 1n, step: 10, maxStep: 10 }, ask, Date.now())
    if (refused !== undefined) throw refused
    return grant
  },
}

export const stores = [
  own,
  httpStore('http://127.0.0.1:8750', { token: 'secret' }),
  httpStore('http://127.0.0.1:8750', { headers: { 'x-team': 'orders' }, fetch: (url, init) => fetch(url, init) }),
  httpStore('http://127.0.0.1:8750', { headers: async () => ({ authorization: 'Bearer secret' }), fetch }),
  memoryStore({ clock: () => 0 }),
]
export const verbs = [acquire, renew, release]

export function acquired(ask: AcquireAsk): [WorkerRow, WorkerRow | undefined, WindowGrant] {
  const namespace: NamespaceRow = namespaceRow({ namespace: 'n', layout: 'edge', workers: { start: 0, end: 8 } })
  const rows: Candidates = { mine: undefined, own: { worker: 1 }, spare: { worker: 2 }, rested: { worker: 3 } }
  const { row, freed, grant }: Acquired = acquire('5a'.repeat(16), namespace, rows, ask, Date.now())
  return [row, freed, grant]
}

export function moves(): void {
  const rows = memoryStore()
  rows.createTag('orders', { step: tagRow({ tag: 'orders', step: 10 }).step })
  rows.setWorkers('default', { start: 0, end: 8 })
}
export const sansIo = new Generator('segment', { tag: 'orders' }, 1n)

export function isSpent(error: LeafidError): boolean {
  const code: ErrorCode = error.code
  // @ts-expect-error there is no such code
  return code === 'TAG_SPENT' || error.code === 'SEGMENT_DRYY'
}

export function tells(error: LeafidError): string {
  return `${error.code} ${[error.until, error.retryAfter] satisfies (number | undefined)[]} ${error.message}`
}

// @ts-expect-error a tag is needed
new Segment()
// @ts-expect-error a step is a number
new Segment('orders', { step: '5' })
// @ts-expect-error a flag
new Snowflake('default', { owner: 'api-0', sticky: 'yes' })
// @ts-expect-error there is no such layout
new Snowflake('default', { layout: 'twitter' })
// @ts-expect-error an ID is a bigint, its text or a number
decode(null)
// @ts-expect-error an option that there is not
decode(5n, { laoyut: 'js53' })
// @ts-expect-error there is no such layout
decode(5n, 'twitter')
// @ts-expect-error options are an object
new Segment('orders', 'http://127.0.0.1:8750')
// @ts-expect-error only 64-bit elements hold IDs
void new Segment('orders').fill(new Float64Array(4))
// @ts-expect-error all or an error: there is no count to look at
export const count: number = new Segment('orders').fillSync(new BigUint64Array(4))
// @ts-expect-error names are camelCase
memoryStore().createTag('orders', { max_step: 5 })
// @ts-expect-error a namespace has a layout
namespaceRow({ workers: { start: 0, end: 8 } })
