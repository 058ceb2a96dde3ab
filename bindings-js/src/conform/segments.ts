import type { SegmentGrant } from '../stores/store.js'
import { shown } from '../values/shown.js'
import { exact, fresh, must, type Book } from './book.js'

/** How many ask at the same moment. */
const AT_ONCE = 24

/** What a store must do for `Segment`, by the names that reports have. */
export function segmentChecks(book: Book, tag: string, createsOnUse: boolean) {
  const line = `tag ${tag}`
  let last: SegmentGrant | undefined

  async function lease(more: object = {}): Promise<SegmentGrant & { first: bigint; count: bigint }> {
    const ask = { tag, request: fresh(), ...more }
    const grant = await book.ask<SegmentGrant>('lease_segment', ask)
    const { start, end } = book.grant(line, grant, ask.request)
    must(start < end, `a lease must have numbers, got ${start} up to ${end}`)
    const before = last === undefined ? 0n : exact('end', last.end)
    last = before > end ? last : grant
    return { ...grant, first: start, count: end - start }
  }

  return {
    async 'lease-shape'() {
      const { tag: named, step, max_step, remaining } = await lease()
      must(named === tag, `\`tag\` of the answer must be \`${tag}\`, got ${shown(named)}`)
      for (const [field, value] of Object.entries({ step, max_step })) {
        must(Number.isInteger(value) && value >= 1, `\`${field}\` must be a whole number from 1 on, got ${shown(value)}`)
      }
      if (remaining !== undefined) exact('remaining', remaining)
    },
    async 'lease-follows'() {
      for (let before = await lease(), turn = 0; turn < 5; turn++) {
        const next = await lease()
        must(next.first >= exact('end', before.end), `leases of one tag must ascend: ${next.first} came after ${before.end}`)
        before = next
      }
    },
    async 'lease-at-once'() {
      await Promise.all(Array.from({ length: AT_ONCE }, () => patiently(() => lease())))
    },
    async 'lease-step'() {
      const step = Math.min(3, (await lease()).max_step)
      const { count } = await lease({ step })
      must(count === BigInt(step), `a \`step\` of ${step} must lease ${step} numbers, got ${count}`)
    },
    async 'lease-at-least'() {
      const { step, max_step } = await lease()
      const wanted = Math.min(2 * step + 1, max_step)
      const { count } = await lease({ at_least: wanted })
      must(count >= BigInt(wanted), `an \`at_least\` of ${wanted} must lease as many or more, got ${count}`)
      const { count: own } = await lease({ at_least: Math.min(max_step + 1, 2 ** 31 - 1) })
      must(own <= BigInt(max_step), `no lease may have more than \`max_step\`, ${max_step}, got ${own}`)
    },
    async 'lease-exactly'() {
      const { max_step } = await lease()
      const exactly = Math.min(7, max_step)
      const given = await lease({ exactly })
      must(given.count === BigInt(exactly), `an \`exactly\` of ${exactly} must lease ${exactly} numbers, got ${given.count}`)
      if (max_step < 2 ** 31 - 1) await book.refused('lease_segment', { tag, request: fresh(), exactly: max_step + 1 }, 'COUNT_INVALID')
    },
    async 'lease-other-store'() {
      await book.refused('lease_segment', { tag, request: fresh(), store: fresh() }, 'STORE_CHANGED')
    },
    async 'lease-unknown-tag'() {
      if (createsOnUse) return 'the store creates tags on first use'
      await book.refused('lease_segment', { tag: `${tag}.${fresh().slice(0, 8)}`, request: fresh() }, 'TAG_UNKNOWN')
      return undefined
    },
    async 'lease-went-back'() {
      const { end, store } = await lease()
      const have_until = exact('end', end) + 1_000_000n
      await lease({ store, have_until: exact('end', end) })
      await book.refused('lease_segment', { tag, request: fresh(), store, have_until }, 'STORE_WENT_BACK')
      await book.refused('lease_segment', { tag, request: fresh(), store }, 'STORE_REFUSED')
    },
  }
}

/** Asks again where a store says that it has too much to do: that is no mistake. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== 'OVERLOADED' || tries === 5) throw error
    }
  }
}
