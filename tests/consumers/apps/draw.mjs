import * as leafid from 'leafid'
// The registry, needed by the control's memory stores, is in a page only where it is imported.
import 'leafid/registry'
import { Scrambler } from 'leafid/public'
import { drawWith } from './draws.mjs'

/** Draws from a store; `memory:` is a store inside this process. */
export const draw = (store) => drawWith(leafid, store, Scrambler)
