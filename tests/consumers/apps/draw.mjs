import * as leafid from 'leafid'
// A page loads what decides for a store, here the control's, only where it is named.
import 'leafid/registry'
import { Scrambler } from 'leafid/public'
import { drawWith } from './draws.mjs'

/** Draws from a store; `memory:` is one of this process. And what 1001 is to others. */
export async function draw(store) {
  const shown = new Scrambler(new Uint8Array(16), 'orders', { prefix: 'order' }).encode(1001n)
  return { ...(await drawWith(leafid, store)), shown }
}
