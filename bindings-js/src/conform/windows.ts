import { LAYOUT_FIELDS, type LayoutFields } from '../values/layout.js'
import type { WindowGrant } from '../stores/store.js'
import { shown } from '../values/shown.js'
import { Finding, fresh, must, type Book, type Time } from './book.js'
import { patiently } from './segments.js'

/** How long the windows are that are asked for: the shortest that there are. */
const WINDOW_MS = 1_000
/** How long those are that must not be over while the others are asked for. */
const LONG_MS = 60_000
/** How many ask at the same moment. */
const AT_ONCE = 8
/** A namespace with more numbers is not used up for a check. */
const MOST_NUMBERS = 16

interface Held extends WindowGrant {
  key: string
  first: bigint
  until: bigint
}

/** What a store must do for `Snowflake`, by the names that reports have. */
export function windowChecks(book: Book, namespace: string, time: Time, createsOnUse: boolean) {
  const line = (worker: number) => `worker ${worker} of ${namespace}`
  const asks = (more: object = {}) => ({ namespace, request: fresh(), owner: `conform/${fresh().slice(0, 8)}`, sticky: false, strict: false, length_ms: WINDOW_MS, ...more })

  async function acquire(more: object = {}): Promise<Held> {
    const ask = asks(more)
    const grant = await patiently(() => book.ask<WindowGrant>('acquire', ask))
    must(Number.isInteger(grant.worker) && grant.worker >= 0, `\`worker\` must be a whole number, got ${shown(grant.worker)}`)
    const { start, end } = book.grant(line(grant.worker), grant, ask.request)
    return { ...grant, key: ask.request, first: start, until: end }
  }

  /** A window; where all numbers are in use, one that is waited for. */
  async function held(more: object = {}): Promise<Held> {
    for (let tries = 0; ; tries++) {
      try {
        return await acquire(more)
      } catch (error) {
        if (!isExhausted(error) || tries === 8) throw error
        await time.pass(WINDOW_MS / 2)
      }
    }
  }

  async function release({ worker, store, key, first }: Held, unused_from = first): Promise<void> {
    await book.ask('release', { namespace, store, worker, key, unused_from })
    book.giveBack(line(worker), key, unused_from)
  }

  async function renew({ worker, store, key, until }: Held, more: object = {}): Promise<Held> {
    const ask = { namespace, request: fresh(), store, worker, key, have_until: until, length_ms: WINDOW_MS, ...more }
    const grant = await patiently(() => book.ask<WindowGrant>('renew', ask))
    must(grant.worker === worker, `a renewal must be of the same number, ${worker}, got ${shown(grant.worker)}`)
    const { start, end } = book.grant(line(worker), grant, key)
    must(start === ask.have_until, `a renewal must begin at \`have_until\`, ${ask.have_until}, got ${start}`)
    must(end >= start, `a renewal must not end before it begins, at ${start}, got ${end}`)
    return { ...grant, key, first: start, until: end }
  }

  return {
    async 'acquire-shape'() {
      const window = await held()
      const { layout, worker, first, until, now_ms, max_window_ms } = window
      const { epoch_ms, tick_ms, worker_bits } = read(layout)
      must(worker < 2 ** worker_bits, `\`worker\` must fit in ${worker_bits} bits, got ${worker}`)
      must(Number.isInteger(max_window_ms), `\`max_window_ms\` must be a whole number of ms, got ${shown(max_window_ms)}`)
      const tick = BigInt(Math.floor((now_ms - epoch_ms) / tick_ms))
      must(first === tick, `a window must begin now, at tick ${tick}, got ${first}`)
      const longest = Math.max(2, Math.ceil(WINDOW_MS / tick_ms))
      must(until > first && until - first <= BigInt(longest), `a window of ${WINDOW_MS} ms must have 1 to ${longest} ticks, got ${until - first}`)
      await release(window)
    },
    async 'acquire-again'() {
      const request = fresh()
      const owner = 'conform/again'
      const one = await held({ request, owner })
      const two = await held({ request, owner })
      must(one.worker === two.worker && one.first === two.first, `an ask that comes again must get the same window: worker ${one.worker} from ${one.first}, got worker ${two.worker} from ${two.first}`)
      await release(two)
    },
    async 'acquire-at-once'() {
      // Long ones: one that is over while a slow store still answers the others is another's to give back.
      const all = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => acquire({ length_ms: LONG_MS })))
      for (const one of all) if (one.status === 'fulfilled') await release(one.value)
      const failed = all.flatMap((one) => (one.status === 'rejected' && !isExhausted(one.reason) ? [one.reason as unknown] : []))
      if (failed.length > 0) throw failed[0]
      must(all.some(({ status }) => status === 'fulfilled'), 'of several who ask at once somebody must get a number')
    },
    async 'acquire-layout'() {
      const window = await held()
      const { tick_ms, ...rest } = read(window.layout)
      await book.refused('acquire', asks({ layout: { tick_ms: tick_ms + 1, ...rest } }), 'LAYOUT_MISMATCH')
      await release(window)
      await release(await held({ layout: window.layout }))
    },
    async 'acquire-other-store'() {
      await book.refused('acquire', asks({ store: fresh() }), 'STORE_CHANGED')
    },
    async 'acquire-unknown-namespace'() {
      if (createsOnUse) return 'the store creates namespaces on first use'
      await book.refused('acquire', asks({ namespace: `${namespace}.${fresh().slice(0, 8)}` }), 'NAMESPACE_UNKNOWN')
      return undefined
    },
    async 'renew-extends'() {
      const window = await held()
      await time.pass(WINDOW_MS / 4)
      const renewed = await renew(window)
      const { tick_ms } = read(window.layout)
      if (tick_ms <= WINDOW_MS / 4) must(renewed.until > window.until, `a renewal must move the end forward after ${WINDOW_MS / 4} ms, from ${window.until}, got ${renewed.until}`)
      const again = await renew(window)
      must(again.until >= renewed.until, `a renewal whose answer was lost must give the same again, up to ${renewed.until}, got ${again.until}`)
      await release(again, window.first)
    },
    async 'renew-key'() {
      const { worker, store, until, ...window } = await held()
      await book.refused('renew', { namespace, request: fresh(), store, worker, key: fresh(), have_until: until }, 'LEASE_LOST')
      await release({ worker, store, until, ...window })
    },
    async 'renew-other-store'() {
      const window = await held()
      const { worker, key, until } = window
      await book.refused('renew', { namespace, request: fresh(), store: fresh(), worker, key, have_until: until }, 'STORE_CHANGED')
      await release(window)
    },
    async 'release-key'() {
      const window = await held()
      const { worker, store, first } = window
      await book.refused('release', { namespace, store, worker, key: fresh(), unused_from: first }, 'LEASE_LOST')
      await release(window)
    },
    async 'release-rests'() {
      // Used to the end before it is over: nobody may have that again, whoever comes.
      const owner = `conform/${fresh().slice(0, 8)}`
      const window = await held({ owner, sticky: true })
      await release(window, window.until)
      const next = await acquire({ owner, sticky: true }).catch((error: unknown) => {
        if (!isExhausted(error)) throw error
        return undefined
      })
      if (next !== undefined) await release(next)
    },
    async 'sticky-returns'() {
      const owner = `conform/${fresh().slice(0, 8)}`
      const window = await held({ owner, sticky: true })
      await release(window)
      await time.pass(2 * read(window.layout).tick_ms)
      const again = await held({ owner, sticky: true })
      must(again.worker === window.worker, `a sticky owner must get its number again, ${window.worker}, got ${again.worker}`)
      await release(again)
    },
    async 'numbers-exhausted'() {
      const all: Held[] = []
      let refusal: { until?: unknown; retryAfter?: unknown } | undefined
      while (refusal === undefined && all.length <= MOST_NUMBERS) {
        try {
          all.push(await acquire({ length_ms: LONG_MS }))
        } catch (error) {
          if (!isExhausted(error)) throw error
          refusal = error as object
        }
      }
      for (const window of all) await release(window)
      if (refusal === undefined) {
        return `the namespace has more than ${MOST_NUMBERS} numbers: give \`conform\` one of 2 to ${MOST_NUMBERS}`
      }
      const { until, retryAfter } = refusal
      must(typeof until === 'number' || typeof retryAfter === 'number', 'WORKERS_EXHAUSTED must say when the first number is free, as `until` or `retryAfter` in ms')
      // One that nobody gives back: whoever gets its number gets it behind the end.
      const abandoned = await held()
      for (let seen = false; !seen; ) {
        const window = await held()
        seen = window.worker === abandoned.worker || window.first >= abandoned.until
        await release(window)
        await time.pass(WINDOW_MS / 4)
      }
      return undefined
    },
    async 'renew-went-back'() {
      const { worker, store, key, until } = await held()
      const renewal = { namespace, store, worker, key }
      await book.refused('renew', { ...renewal, request: fresh(), have_until: until + 1_000n }, 'STORE_WENT_BACK')
      await book.refused('renew', { ...renewal, request: fresh(), have_until: until }, 'LEASE_LOST')
    },
  }
}

function isExhausted(error: unknown): boolean {
  return !(error instanceof Finding) && (error as { code?: unknown } | null)?.code === 'WORKERS_EXHAUSTED'
}

function read(layout: LayoutFields): LayoutFields {
  for (const field of LAYOUT_FIELDS) {
    const value = (layout as Partial<LayoutFields> | undefined)?.[field]
    must(Number.isSafeInteger(value), `\`layout\` must have its five fields, got ${shown(layout)}`)
  }
  return layout
}
