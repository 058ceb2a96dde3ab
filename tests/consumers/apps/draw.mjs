import * as leafid from 'leafid'
import { Scrambler } from 'leafid/public'
import { drawWith } from './draws.mjs'

/** Draws from a store; `memory:` is a store inside this process. */
export const draw = (store) => drawWith(leafid, store, Scrambler)
