// A CommonJS file compiles against the same types.
import { LeafidError, Segment, Snowflake, decode, type Id } from 'leafid'
import { Scrambler, toBase58 } from 'leafid/public'
import { leaseSegment } from 'leafid/registry'
import { Generator } from 'leafid/testing'
import { sqliteStore } from 'leafid/node'
import small = require('leafid/decode')

export async function draws(): Promise<Id<'order'>> {
  const orders = new Segment<'order'>('orders', { store: sqliteStore('ids.db') })
  const events = new Snowflake('default')
  console.log(decode(await new Snowflake().next()).time, small.decode(await events.next()).worker)
  await orders.ready(3)
  return orders.nextSync()
}

export const shown = (id: bigint): string => new Scrambler(new Uint8Array(16), 'orders', { prefix: 'order', alphabet: 'base62' }).encode(id) + toBase58(id)
export const parts = [leaseSegment, Generator, LeafidError]
