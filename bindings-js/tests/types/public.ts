// Public IDs: correct programs compile under strict settings, and wrong ones do not.
import { Scrambler, fromBase58, toBase62, type Alphabet, type ScramblerOptions } from 'leafid/public'
import type { Id } from 'leafid'

const options: ScramblerOptions = { prefix: 'order', alphabet: 'base58' }
const orders = new Scrambler(crypto.getRandomValues(new Uint8Array(32)), 'orders', options)

export function shown(id: Id<'order'>): { text: string; number: bigint; alphabet: Alphabet } {
  return { text: orders.encode(id) + toBase62(id), number: orders.scramble(id), alphabet: orders.alphabet }
}

export const known: bigint = orders.decode('order_6YkpXnXFL5j') + fromBase58('11111111111')

// @ts-expect-error a key is bytes
new Scrambler('0123456789abcdef', 'orders')
// @ts-expect-error there is no such alphabet
new Scrambler(new Uint8Array(16), 'orders', { alphabet: 'base64' })
// @ts-expect-error an ID is a bigint
orders.encode(7)
