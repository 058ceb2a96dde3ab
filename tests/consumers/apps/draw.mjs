import * as leafid from 'leafid'
// A page loads what decides for a store, here the control's, only where it is named.
import 'leafid/registry'
import { Scrambler } from 'leafid/public'
import { drawWith } from './draws.mjs'

/** Draws from a store; `memory:` is one of this process. */
export const draw = (store) => drawWith(leafid, store, Scrambler)
