// Workers: correct programs compile under strict settings, and wrong ones do not.
import { Layout, Segment, Snowflake, type Store } from 'leafid'
import { LeafidObject, d1Store, durableObjectStore, type DeclaredTag } from 'leafid/workers'

export class Ids extends LeafidObject {
  static override tags = { orders: { step: 1000, maxStep: 10_000 }, large: { from: '9007199254740993', until: 2n ** 63n - 1n } }
  static override namespaces = { default: { layout: Layout.edge, workers: { start: 0, end: 8 }, maxWindowMs: 10_000 } }

  restart(): void {
    this.ctx.abort('again')
  }
}

const tag: DeclaredTag = { from: 5n, step: 10 }
const object: Store = durableObjectStore('IDS', { jurisdiction: 'eu', locationHint: 'weur' })
export const generators = [
  new Segment('orders', { store: object }),
  new Segment('orders', { store: () => object }),
  new Snowflake('default', { store: d1Store('DB', { tags: { tag }, namespaces: { default: {} } }) }),
]

// @ts-expect-error an option that there is not
durableObjectStore('IDS', { jurisdicton: 'eu' })
// @ts-expect-error a field that there is not
d1Store('DB', { tags: { orders: { stpe: 10 } } })
